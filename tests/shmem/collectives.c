/* Collectives over teams and over active sets, of all types. */
#include "check.h"

#define W SHMEM_TEAM_WORLD
#define COLLECTIVES(NAME, TYPE)                                                             \
  static void collectives_##NAME(void) {                                                    \
    const int pes = shmem_n_pes(), me = shmem_my_pe();                                      \
    TYPE* a = fresh(4 * (size_t)pes * sizeof(TYPE));                                        \
    TYPE* b = fresh(4 * (size_t)pes * sizeof(TYPE));                                        \
    for (int i = 0; i < 4 * pes; ++i) a[i] = (TYPE)(10 * me + i);                           \
    CHECK(shmem_##NAME##_broadcast(W, b, a, 4, pes - 1) == 0);                              \
    for (int i = 0; i < 4; ++i) CHECK(b[i] == (TYPE)(10 * (pes - 1) + i));                  \
    CHECK(shmem_##NAME##_fcollect(W, b, a, 2) == 0);                                        \
    for (int i = 0; i < 2 * pes; ++i) CHECK(b[i] == (TYPE)(10 * (i / 2) + i % 2));          \
    shmem_barrier_all();                                                                    \
    CHECK(shmem_##NAME##_collect(W, b, a, (size_t)(me == 0 ? 3 : 1)) == 0);                 \
    for (int i = 0; i < 3; ++i) CHECK(b[i] == (TYPE)i);                                     \
    for (int pe = 1; pe < pes; ++pe) CHECK(b[2 + pe] == (TYPE)(10 * pe));                   \
    CHECK(shmem_##NAME##_alltoall(W, b, a, 2) == 0);                                        \
    for (int i = 0; i < 2 * pes; ++i) CHECK(b[i] == (TYPE)(10 * (i / 2) + 2 * me + i % 2)); \
    shmem_barrier_all();                                                                    \
    CHECK(shmem_##NAME##_alltoalls(W, b, a, 2, 1, 2) == 0);                                 \
    for (int pe = 0; pe < pes; ++pe)                                                        \
      for (int i = 0; i < 2; ++i) CHECK(b[4 * pe + 2 * i] == (TYPE)(10 * pe + 2 * me + i)); \
    shmem_free(a), shmem_free(b);                                                           \
  }
RMA_TYPES(COLLECTIVES)

void test_collectives(void) {
#define RUN(NAME, TYPE) collectives_##NAME();
  RMA_TYPES(RUN)
#undef RUN
  const int pes = shmem_n_pes(), me = shmem_my_pe();
  char* a = fresh(4 * (size_t)pes);
  char* b = fresh(4 * (size_t)pes);
  memset(a, me + 1, 4 * (size_t)pes);
  CHECK(shmem_broadcastmem(W, b, a, 4, 0) == 0 && b[3] == 1);
  CHECK(shmem_fcollectmem(W, b, a, 4) == 0 && b[4 * pes - 1] == pes);
  shmem_barrier_all();
  CHECK(shmem_collectmem(W, b, a, (size_t)me + 1) == 0 && b[0] == 1 &&
        (pes > 3 || b[pes * (pes + 1) / 2 - 1] == pes));
  CHECK(shmem_alltoallmem(W, b, a, 4) == 0 && b[4 * pes - 1] == pes);
  shmem_barrier_all();
  CHECK(shmem_alltoallsmem(W, b, a, 2, 2, 2) == 0 && b[4 * pes - 2] == pes);
  CHECK(shmem_broadcastmem(W, NULL, NULL, 0, 0) == 0 && shmem_collectmem(W, NULL, NULL, 0) == 0);
  CHECK(shmem_fcollectmem(W, NULL, NULL, 0) == 0 && shmem_alltoallmem(W, NULL, NULL, 0) == 0);
  CHECK(shmem_alltoallsmem(W, NULL, NULL, 1, 1, 0) == 0);
  CHECK(shmem_int_broadcast(SHMEM_TEAM_INVALID, NULL, NULL, 0, 0) != 0);
  shmem_free(a), shmem_free(b);
}

/* The first PEs but the last, where there are two or more. */
#define SET 0, 0, set
#define OLD_COLLECTIVES(BITS)                                                         \
  static void old_collectives_##BITS(int set, long* sync) {                           \
    typedef int##BITS##_t element;                                                    \
    const int me = shmem_my_pe();                                                     \
    element* a = fresh(4 * (size_t)set * sizeof(element));                            \
    element* b = fresh(4 * (size_t)set * sizeof(element));                            \
    for (int i = 0; i < 4 * set; ++i) a[i] = 10 * me + i;                             \
    if (me < set) {                                                                   \
      b[0] = -1;                                                                      \
      shmem_broadcast##BITS(b, a, 4, set - 1, SET, sync);                             \
      CHECK(b[0] == (me == set - 1 ? -1 : 10 * (set - 1)));                           \
      shmem_fcollect##BITS(b, a, 2, SET, sync);                                       \
      for (int i = 0; i < 2 * set; ++i) CHECK(b[i] == 10 * (i / 2) + i % 2);          \
      shmem_barrier(SET, sync);                                                       \
      shmem_collect##BITS(b, a, (size_t)(me == 0 ? 3 : 1), SET, sync);                \
      for (int pe = 1; pe < set; ++pe) CHECK(b[2 + pe] == 10 * pe);                   \
      shmem_alltoall##BITS(b, a, 2, SET, sync);                                       \
      for (int i = 0; i < 2 * set; ++i) CHECK(b[i] == 10 * (i / 2) + 2 * me + i % 2); \
      (shmem_sync)(SET, sync);                                                        \
      shmem_alltoalls##BITS(b, a, 2, 1, 2, SET, sync);                                \
      for (int pe = 0; pe < set; ++pe)                                                \
        for (int i = 0; i < 2; ++i) CHECK(b[4 * pe + 2 * i] == 10 * pe + 2 * me + i); \
    }                                                                                 \
    shmem_free(a), shmem_free(b);                                                     \
  }
OLD_COLLECTIVES(32)
OLD_COLLECTIVES(64)

void test_old_collectives(void) {
  static long sync[SHMEM_SYNC_SIZE] = {SHMEM_SYNC_VALUE};
  const int pes = shmem_n_pes(), set = pes > 1 ? pes - 1 : 1;
  old_collectives_32(set, sync), old_collectives_64(set, sync);
  old_collectives_32(pes, sync), old_collectives_64(pes, sync);
  if (pes > 2 && shmem_my_pe() % 2 == 0) shmem_barrier(0, 1, (pes + 1) / 2, sync);
  /* Sets that share PEs, again and again, in one order. */
  for (int round = 0; round < 20; ++round)
    for (int pe = 0; pe + 1 < pes; ++pe)
      if (shmem_my_pe() == pe || shmem_my_pe() == pe + 1) shmem_barrier(pe, 0, 2, sync);
  shmem_barrier_all();
}
