/* Teams and contexts up to their limits, and beyond. */
#include "expect.h"

static long long_source[1], long_dest[1];

/* A team of every second PE, with more contexts than it has asked for. */
static void members_meet(shmem_team_t evens) {
  shmem_team_config_t seen;
  EXPECT(shmem_team_get_config(evens, SHMEM_TEAM_NUM_CONTEXTS, &seen) == 0 &&
         seen.num_contexts == 2);
  EXPECT(pes < 2 || shmem_team_translate_pe(SHMEM_TEAM_WORLD, 1, evens) == -1);
  long_source[0] = me;
  EXPECT(shmem_long_sum_reduce(evens, long_dest, long_source, 1) == 0);
  const int members = (pes + 1) / 2;
  EXPECT(long_dest[0] == (long)members * (members - 1));
  EXPECT(shmem_long_sum_inscan(evens, long_dest, long_source, 1) == 0 &&
         long_dest[0] == (long)me / 2 * (me / 2 + 1));
  EXPECT(shmem_long_sum_exscan(evens, long_dest, long_source, 1) == 0);
  EXPECT(long_dest[0] == (long)me / 2 * (me / 2 - 1));
  shmem_ctx_t contexts[5];
  for (int i = 0; i < 5; ++i) {
    contexts[i] = SHMEM_CTX_INVALID;
    if (shmem_team_create_ctx(evens, i % 2 ? SHMEM_CTX_PRIVATE : SHMEM_CTX_SERIALIZED,
                              &contexts[i]) != 0)
      EXPECT(contexts[i] == SHMEM_CTX_INVALID);
  }
  shmem_team_t of = SHMEM_TEAM_INVALID;
  EXPECT(shmem_ctx_get_team(contexts[0], &of) == 0 && of == evens);
  shmem_team_sync(evens);
  shmem_ctx_long_p(contexts[0], long_dest, 77 + me, (shmem_team_my_pe(evens) + 1) % members);
  shmem_ctx_quiet(contexts[0]);
  shmem_team_sync(evens);
  EXPECT(long_dest[0] == 77 + 2 * ((me / 2 + members - 1) % members));
  for (int i = 0; i < 5; ++i) shmem_ctx_destroy(contexts[i]);
}

static void teams_and_contexts(void) {
  shmem_team_t evens = SHMEM_TEAM_INVALID, rows = SHMEM_TEAM_INVALID, columns = SHMEM_TEAM_INVALID;
  shmem_team_config_t config;
  memset(&config, 0, sizeof config);
  config.num_contexts = 2;
  EXPECT(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (pes + 1) / 2, &config,
                                  SHMEM_TEAM_NUM_CONTEXTS, &evens) == 0);
  EXPECT((evens != SHMEM_TEAM_INVALID) == (me % 2 == 0));
  EXPECT(shmem_team_my_pe(evens) == (me % 2 == 0 ? me / 2 : -1));
  EXPECT(shmem_team_n_pes(evens) == (me % 2 == 0 ? (pes + 1) / 2 : -1));
  EXPECT(shmem_team_translate_pe(evens, 0, SHMEM_TEAM_WORLD) == (me % 2 == 0 ? 0 : -1));
  EXPECT(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pes, evens) == -1);
  if (evens != SHMEM_TEAM_INVALID) members_meet(evens);
  shmem_team_destroy(evens);
  EXPECT(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &rows, &config, SHMEM_TEAM_NUM_CONTEXTS,
                             &columns) == 0);
  EXPECT(shmem_team_my_pe(rows) == me % 2 && shmem_team_my_pe(columns) == me / 2);
  EXPECT(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &evens) != 0 &&
         evens == SHMEM_TEAM_INVALID);
  EXPECT(shmem_team_split_strided(rows, 0, 1, shmem_team_n_pes(rows) + 1, NULL, 0, &evens) != 0);
  shmem_team_destroy(columns);
  shmem_team_destroy(rows);
  shmem_team_destroy(SHMEM_TEAM_INVALID);
}

/* Contexts that there are not, and many. */
static void contexts_alone(void) {
  shmem_ctx_t one = SHMEM_CTX_INVALID;
  shmem_ctx_destroy(one);
  shmem_ctx_quiet(one);
  shmem_ctx_fence(one);
  EXPECT(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &one) != 0 && one == SHMEM_CTX_INVALID);
  EXPECT(shmem_team_n_pes(SHMEM_TEAM_SHARED) >= 1 && shmem_team_my_pe(SHMEM_TEAM_SHARED) >= 0);
  EXPECT(shmem_team_sync(SHMEM_TEAM_WORLD) == 0);
  enum { MANY = 200 };
  static shmem_ctx_t many[MANY];
  for (int i = 0; i < MANY; ++i)
    EXPECT(shmem_ctx_create(SHMEM_CTX_NOSTORE, &many[i]) == 0 || many[i] == SHMEM_CTX_INVALID);
  for (int i = 0; i < MANY; ++i) shmem_ctx_destroy(many[i]);
}

void test_teams(void) { teams_and_contexts(), contexts_alone(); }
