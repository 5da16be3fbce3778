/* Puts with signals, and signals alone. */
#include "check.h"

#define C SHMEM_CTX_DEFAULT
#define PUT_SIGNAL(NAME, TYPE)                                                                     \
  static void put_signal_##NAME(void) {                                                            \
    const int pes = shmem_n_pes(), me = shmem_my_pe(), next = (me + 1) % pes;                      \
    TYPE* a = fresh(4 * ELEMENTS * sizeof(TYPE));                                                  \
    uint64_t* s = fresh(sizeof(uint64_t));                                                         \
    TYPE mine[ELEMENTS];                                                                           \
    for (int i = 0; i < ELEMENTS; ++i) mine[i] = (TYPE)(i + 3);                                    \
    shmem_##NAME##_put_signal(a, mine, ELEMENTS, s, 1, SHMEM_SIGNAL_ADD, next);                    \
    shmem_ctx_##NAME##_put_signal(C, a + ELEMENTS, mine, ELEMENTS, s, 1, SHMEM_SIGNAL_ADD, next);  \
    shmem_##NAME##_put_signal_nbi(a + 2 * ELEMENTS, mine, ELEMENTS, s, 1, SHMEM_SIGNAL_ADD, next); \
    shmem_ctx_##NAME##_put_signal_nbi(C, a + 3 * ELEMENTS, mine, ELEMENTS, s, 1, SHMEM_SIGNAL_ADD, \
                                      next);                                                       \
    CHECK(shmem_signal_wait_until(s, SHMEM_CMP_GE, 4) == 4);                                       \
    for (int i = 0; i < 4 * ELEMENTS; ++i) CHECK(a[i] == (TYPE)(i % ELEMENTS + 3));                \
    shmem_quiet();                                                                                 \
    shmem_free(s), shmem_free(a);                                                                  \
  }
RMA_TYPES(PUT_SIGNAL)

#define SIZED_SIGNAL(BITS, SCALE)                                                              \
  shmem_put##BITS##_signal(a, mine, 16 / SCALE, s, 1, SHMEM_SIGNAL_ADD, next);                 \
  shmem_ctx_put##BITS##_signal(C, a + 16, mine, 16 / SCALE, s, 1, SHMEM_SIGNAL_ADD, next);     \
  shmem_put##BITS##_signal_nbi(a + 32, mine, 16 / SCALE, s, 1, SHMEM_SIGNAL_ADD, next);        \
  shmem_ctx_put##BITS##_signal_nbi(C, a + 48, mine, 16 / SCALE, s, 1, SHMEM_SIGNAL_ADD, next); \
  expected += 4;                                                                               \
  CHECK(shmem_signal_wait_until(s, SHMEM_CMP_GE, expected) == expected);                       \
  for (int i = 0; i < 64; ++i) CHECK(a[i] == i % 16);                                          \
  shmem_barrier_all();                                                                         \
  memset(a, 0, 64);                                                                            \
  shmem_barrier_all();

void test_signals(void) {
#define RUN(NAME, TYPE) put_signal_##NAME();
  RMA_TYPES(RUN)
#undef RUN
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  char* a = fresh(64);
  uint64_t* s = fresh(sizeof(uint64_t));
  uint64_t expected = 0;
  char mine[16];
  for (int i = 0; i < 16; ++i) mine[i] = (char)i;
  SIZED_SIGNAL(8, 1)
  SIZED_SIGNAL(16, 2)
  SIZED_SIGNAL(32, 4)
  SIZED_SIGNAL(64, 8)
  SIZED_SIGNAL(128, 16)
  SIZED_SIGNAL(mem, 1)

  (shmem_signal_set)(s, 100, next);
  shmem_signal_wait_until(s, SHMEM_CMP_EQ, 100);
  shmem_barrier_all();
  (shmem_signal_add)(s, 5, next);
  shmem_signal_wait_until(s, SHMEM_CMP_EQ, 105);
  shmem_barrier_all();
  shmem_ctx_signal_add(C, s, 5, next);
  shmem_signal_wait_until(s, SHMEM_CMP_EQ, 110);
  shmem_barrier_all();
  shmem_ctx_signal_set(C, s, 7, next);
  shmem_signal_wait_until(s, SHMEM_CMP_EQ, 7);
  CHECK(shmem_signal_fetch(s) == 7);

  /* Data of no length: the signal alone. */
  shmem_barrier_all();
  shmem_putmem_signal(NULL, NULL, 0, s, 1, SHMEM_SIGNAL_ADD, next);
  shmem_putmem_signal_nbi(NULL, NULL, 0, s, 1, SHMEM_SIGNAL_ADD, next);
  /* A loop of looks: others run meanwhile. */
  while (shmem_signal_fetch(s) < 9) continue;
  CHECK(shmem_signal_fetch(s) == 9);
  shmem_free(s), shmem_free(a);
}
