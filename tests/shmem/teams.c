/* Teams, and contexts. */
#include "check.h"

void test_teams(void) {
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  CHECK(shmem_team_my_pe(SHMEM_TEAM_WORLD) == me && shmem_team_n_pes(SHMEM_TEAM_WORLD) == pes);
  CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1 && shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1);
  const int mates = shmem_team_n_pes(SHMEM_TEAM_SHARED);
  long* a = fresh(sizeof(long));
  for (int pe = 0; pe < mates; ++pe) CHECK(shmem_team_ptr(SHMEM_TEAM_SHARED, a, pe) != NULL);
  CHECK(shmem_team_ptr(SHMEM_TEAM_INVALID, a, 0) == NULL);
  shmem_free(a);

  /* Every second PE, backwards. */
  shmem_team_t every_second, config_team;
  const int size = (pes + 1) / 2, last = 2 * (size - 1);
  shmem_team_config_t config = {3}, got = {0};
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, last, -2, size, &config, SHMEM_TEAM_NUM_CONTEXTS,
                                 &every_second) == 0);
  CHECK((every_second != SHMEM_TEAM_INVALID) == (me % 2 == 0));
  if (me % 2 == 0) {
    CHECK(shmem_team_my_pe(every_second) == (last - me) / 2 &&
          shmem_team_n_pes(every_second) == size);
    CHECK(shmem_team_translate_pe(every_second, 0, SHMEM_TEAM_WORLD) == last);
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, every_second) == size - 1);
    if (pes > 1) CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 1, every_second) == -1);
    CHECK(shmem_team_get_config(every_second, SHMEM_TEAM_NUM_CONTEXTS, &got) == 0);
    CHECK(got.num_contexts == 3);
    CHECK(shmem_team_sync(every_second) == 0);
  }
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes + 1, NULL, 0, &config_team) != 0);
  CHECK(config_team == SHMEM_TEAM_INVALID && shmem_team_sync(config_team) != 0);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_INVALID) == -1);
  CHECK(shmem_team_get_config(SHMEM_TEAM_INVALID, 0, &got) != 0);

  /* Each PE may name a team of itself alone. */
  shmem_team_t alone;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, me, 1, 1, NULL, 0, &alone) == 0);
  CHECK(shmem_team_n_pes(alone) == 1);
  CHECK(shmem_team_translate_pe(alone, 0, SHMEM_TEAM_WORLD) == me);
  shmem_team_destroy(alone);

  shmem_team_t row, column;
  CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column) == 0);
  CHECK(shmem_team_my_pe(row) == me % 2 && shmem_team_my_pe(column) == me / 2);
  CHECK(shmem_team_translate_pe(column, 0, SHMEM_TEAM_WORLD) == me % 2);
  shmem_team_destroy(row), shmem_team_destroy(column), shmem_team_destroy(every_second);
}

void test_contexts(void) {
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  shmem_ctx_t ctx;
  shmem_team_t of = SHMEM_TEAM_INVALID, backwards;
  CHECK(shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &of) == 0 && of == SHMEM_TEAM_WORLD);
  CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &of) != 0 && of == SHMEM_TEAM_INVALID);
  CHECK(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &ctx) != 0 && ctx == SHMEM_CTX_INVALID);

  /* A context's PEs are those of its team. */
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, pes, NULL, 0, &backwards) == 0);
  CHECK(shmem_team_create_ctx(backwards, SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE, &ctx) == 0);
  CHECK(shmem_ctx_get_team(ctx, &of) == 0 && of == backwards);
  long* a = fresh(sizeof(long));
  const shmem_ctx_session_config_t config = {100};
  shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
  shmem_ctx_long_p(ctx, a, me + 1, me);
  shmem_ctx_session_stop(ctx);
  shmem_ctx_fence(ctx);
  shmem_ctx_pe_quiet(ctx, me);
  shmem_ctx_quiet(ctx);
  CHECK(shmem_long_g(a, pes - 1 - me) == me + 1);
  CHECK(shmem_ctx_long_atomic_fetch_add(ctx, a, 10, me) == me + 1);
  shmem_barrier_all();
  CHECK(*a == pes - me + 10);
  shmem_ctx_destroy(ctx);
  shmem_ctx_destroy(SHMEM_CTX_INVALID);
  shmem_free(a);
  /* It ends with its team. */
  CHECK(shmem_team_create_ctx(backwards, 0, &ctx) == 0);
  shmem_team_destroy(backwards);
}
