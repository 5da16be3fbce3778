/* Waiting for words and testing them, of all types and in all forms. */
#include "check.h"

/* Words 0 .. 5 get the values 1 .. 6 from the PE before; word 3 is left out. */
#define SETS(NAME, TYPE)                                                                       \
  static void sets_##NAME(void) {                                                              \
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();                                      \
    TYPE* a = fresh(8 * sizeof(TYPE));                                                         \
    const int status[6] = {0, 0, 0, 1, 0, 0}, all_out[6] = {1, 1, 1, 1, 1, 1};                 \
    TYPE values[6] = {1, 2, 3, 99, 5, 6};                                                      \
    size_t indices[6], some = 0;                                                               \
    CHECK(!shmem_##NAME##_test(a, SHMEM_CMP_GT, (TYPE)0));                                     \
    CHECK(!shmem_##NAME##_test_all(a, 6, status, SHMEM_CMP_GT, (TYPE)0));                      \
    CHECK(shmem_##NAME##_test_any(a, 6, status, SHMEM_CMP_GT, (TYPE)0) == SIZE_MAX);           \
    CHECK(shmem_##NAME##_test_some(a, 6, indices, status, SHMEM_CMP_GT, (TYPE)0) == 0);        \
    CHECK(shmem_##NAME##_test_any_vector(a, 6, status, SHMEM_CMP_EQ, values) == SIZE_MAX);     \
    CHECK(shmem_##NAME##_test_some_vector(a, 6, indices, status, SHMEM_CMP_EQ, values) == 0);  \
    CHECK(!shmem_##NAME##_test_all_vector(a, 6, status, SHMEM_CMP_EQ, values));                \
    shmem_barrier_all();                                                                       \
    for (int i = 0; i < 6; ++i) shmem_##NAME##_p(a + i, (TYPE)(i + 1), next);                  \
    shmem_##NAME##_wait_until(a, SHMEM_CMP_EQ, (TYPE)1);                                       \
    some = shmem_##NAME##_wait_until_any(a, 6, status, SHMEM_CMP_GE, (TYPE)5);                 \
    CHECK(some == 4 || some == 5);                                                             \
    CHECK(shmem_##NAME##_wait_until_any_vector(a, 6, NULL, SHMEM_CMP_EQ, values) < 6);         \
    CHECK(shmem_##NAME##_wait_until_any(a, 6, all_out, SHMEM_CMP_GE, (TYPE)5) == SIZE_MAX);    \
    some = shmem_##NAME##_wait_until_some(a, 6, indices, status, SHMEM_CMP_NE, (TYPE)0);       \
    CHECK(some >= 1 && some <= 5);                                                             \
    some = shmem_##NAME##_wait_until_some_vector(a, 6, indices, status, SHMEM_CMP_EQ, values); \
    CHECK(some >= 1 && some <= 5);                                                             \
    shmem_##NAME##_wait_until_all(a, 6, status, SHMEM_CMP_GT, (TYPE)0);                        \
    shmem_##NAME##_wait_until_all_vector(a, 6, status, SHMEM_CMP_EQ, values);                  \
    CHECK(shmem_##NAME##_test(a + 5, SHMEM_CMP_EQ, (TYPE)6));                                  \
    CHECK(shmem_##NAME##_test_all(a, 6, status, SHMEM_CMP_LT, (TYPE)7));                       \
    CHECK(shmem_##NAME##_test_any(a, 6, status, SHMEM_CMP_EQ, (TYPE)5) == 4);                  \
    CHECK(shmem_##NAME##_test_some(a, 6, indices, NULL, SHMEM_CMP_LE, (TYPE)2) == 2);          \
    CHECK(indices[0] == 0 && indices[1] == 1);                                                 \
    CHECK(shmem_##NAME##_test_any_vector(a, 6, status, SHMEM_CMP_EQ, values) < 6);             \
    CHECK(shmem_##NAME##_test_some_vector(a, 6, indices, status, SHMEM_CMP_EQ, values) == 5);  \
    CHECK(shmem_##NAME##_test_all_vector(a, 6, status, SHMEM_CMP_EQ, values));                 \
    CHECK(!shmem_##NAME##_test_all_vector(a, 6, NULL, SHMEM_CMP_EQ, values));                  \
    shmem_free(a);                                                                             \
  }
SYNC_TYPES(SETS)

#define OLD_WAITS(NAME, TYPE)                             \
  static void old_waits_##NAME(void) {                    \
    const int next = (shmem_my_pe() + 1) % shmem_n_pes(); \
    TYPE* a = fresh(sizeof(TYPE));                        \
    shmem_##NAME##_p(a, (TYPE)4, next);                   \
    shmem_##NAME##_wait(a, (TYPE)0);                      \
    shmem_##NAME##_wait_until(a, SHMEM_CMP_GT, (TYPE)3);  \
    CHECK(*a == (TYPE)4);                                 \
    shmem_free(a);                                        \
  }
WAIT_TYPES(OLD_WAITS)

#define SHORT_TESTS(NAME, TYPE)                                                   \
  static void short_tests_##NAME(void) {                                          \
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();                         \
    TYPE* a = fresh(sizeof(TYPE));                                                \
    CHECK(!shmem_##NAME##_test(a, SHMEM_CMP_NE, (TYPE)0));                        \
    shmem_barrier_all();                                                          \
    shmem_##NAME##_p(a, (TYPE)-2, next);                                          \
    shmem_##NAME##_wait_until(a, SHMEM_CMP_EQ, (TYPE)-2);                         \
    shmem_##NAME##_wait_until(a, SHMEM_CMP_LE, (TYPE)-2);                         \
    shmem_##NAME##_wait_until(a, SHMEM_CMP_GE, (TYPE)-2);                         \
    shmem_##NAME##_wait_until(a, SHMEM_CMP_LT, (TYPE)-1);                         \
    CHECK(shmem_##NAME##_test(a, SHMEM_CMP_GT, (TYPE)-3));                        \
    CHECK(shmem_##NAME##_test(a, SHMEM_CMP_LT, (TYPE)1) == ((TYPE)-1 < (TYPE)0)); \
    shmem_free(a);                                                                \
  }
SHORT_TESTS(short, short)
SHORT_TESTS(ushort, unsigned short)

void test_waiting(void) {
#define RUN(NAME, TYPE) sets_##NAME();
  SYNC_TYPES(RUN)
#undef RUN
#define RUN(NAME, TYPE) old_waits_##NAME();
  WAIT_TYPES(RUN)
#undef RUN
  short_tests_short(), short_tests_ushort();
  long* a = fresh(sizeof(long));
  shmem_long_p(a, 4, (shmem_my_pe() + 1) % shmem_n_pes());
  shmem_wait(a, 0);
  (shmem_wait_until)(a, SHMEM_CMP_EQ, 4);
  CHECK(*a == 4);
  shmem_free(a);
}

/* A lock keeps what is not atomic whole; PEs that wait sleep. */
void test_locks(void) {
  enum { TURNS = 50 };
  long* lock = fresh(sizeof(long));
  long* counter = fresh(sizeof(long));
  for (int i = 0; i < TURNS; ++i) {
    shmem_set_lock(lock);
    shmem_long_p(counter, shmem_long_g(counter, 0) + 1, 0);
    shmem_clear_lock(lock);
  }
  shmem_barrier_all();
  CHECK(shmem_long_g(counter, 0) == TURNS * shmem_n_pes());
  shmem_barrier_all();
  if (shmem_my_pe() == 0) {
    CHECK(shmem_test_lock(lock) == 0);
    CHECK(shmem_test_lock(lock) == 1);
    shmem_clear_lock(lock);
    CHECK(shmem_test_lock(lock) == 0);
  }
  shmem_barrier_all();
  if (shmem_my_pe() == shmem_n_pes() - 1 && shmem_my_pe() != 0) CHECK(shmem_test_lock(lock) == 1);
  shmem_barrier_all();
  /* Others ask again and again; the holder runs meanwhile. */
  if (shmem_my_pe() != 0) {
    while (shmem_test_lock(lock) != 0) continue;
    shmem_clear_lock(lock);
  } else {
    shmem_clear_lock(lock);
  }
  shmem_barrier_all();
  CHECK(*lock == 0);
  shmem_free(counter), shmem_free(lock);
}
