/* Atomics of all types. All PEs change words of PE 0; what they have found adds up. */
#include "check.h"

#define C SHMEM_CTX_DEFAULT

#define EXTENDED(NAME, TYPE)                                               \
  static void extended_##NAME(void) {                                      \
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();                  \
    TYPE* a = fresh(2 * sizeof(TYPE));                                     \
    TYPE found = 0;                                                        \
    shmem_##NAME##_atomic_set(a, (TYPE)3, next);                           \
    CHECK(shmem_##NAME##_atomic_fetch(a, next) == (TYPE)3);                \
    shmem_ctx_##NAME##_atomic_set(C, a, (TYPE)4, next);                    \
    CHECK(shmem_ctx_##NAME##_atomic_fetch(C, a, next) == (TYPE)4);         \
    CHECK(shmem_##NAME##_atomic_swap(a, (TYPE)5, next) == (TYPE)4);        \
    CHECK(shmem_ctx_##NAME##_atomic_swap(C, a, (TYPE)6, next) == (TYPE)5); \
    shmem_##NAME##_atomic_swap_nbi(&found, a, (TYPE)7, next);              \
    shmem_quiet();                                                         \
    CHECK(found == (TYPE)6);                                               \
    shmem_ctx_##NAME##_atomic_swap_nbi(C, &found, a, (TYPE)8, next);       \
    shmem_quiet();                                                         \
    CHECK(found == (TYPE)7);                                               \
    shmem_##NAME##_atomic_fetch_nbi(&found, a, next);                      \
    shmem_quiet();                                                         \
    CHECK(found == (TYPE)8);                                               \
    shmem_ctx_##NAME##_atomic_fetch_nbi(C, &found, a, next);               \
    shmem_quiet();                                                         \
    CHECK(found == (TYPE)8);                                               \
    shmem_free(a);                                                         \
  }

#define STANDARD(NAME, TYPE)                                             \
  static void standard_##NAME(void) {                                    \
    const int pes = shmem_n_pes();                                       \
    TYPE* a = fresh(2 * sizeof(TYPE));                                   \
    TYPE found = 0;                                                      \
    for (int i = 0; i < 10; ++i) {                                       \
      shmem_##NAME##_atomic_add(a, (TYPE)2, 0);                          \
      shmem_ctx_##NAME##_atomic_add(C, a, (TYPE)2, 0);                   \
      shmem_##NAME##_atomic_inc(a, 0);                                   \
      shmem_ctx_##NAME##_atomic_inc(C, a, 0);                            \
      (void)shmem_##NAME##_atomic_fetch_add(a, (TYPE)2, 0);              \
      (void)shmem_ctx_##NAME##_atomic_fetch_add(C, a, (TYPE)2, 0);       \
      (void)shmem_##NAME##_atomic_fetch_inc(a, 0);                       \
      (void)shmem_ctx_##NAME##_atomic_fetch_inc(C, a, 0);                \
      shmem_##NAME##_atomic_fetch_add_nbi(&found, a, (TYPE)2, 0);        \
      shmem_ctx_##NAME##_atomic_fetch_add_nbi(C, &found, a, (TYPE)2, 0); \
      shmem_##NAME##_atomic_fetch_inc_nbi(&found, a, 0);                 \
      shmem_ctx_##NAME##_atomic_fetch_inc_nbi(C, &found, a, 0);          \
    }                                                                    \
    shmem_barrier_all();                                                 \
    CHECK(shmem_##NAME##_atomic_fetch(a, 0) == (TYPE)(180 * pes));       \
    shmem_free(a);                                                       \
  }

#define COMPARED(NAME, TYPE)                                                                \
  static void compared_##NAME(void) {                                                       \
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();                                   \
    TYPE* w = fresh(sizeof(TYPE));                                                          \
    TYPE found = 0;                                                                         \
    CHECK(shmem_##NAME##_atomic_compare_swap(w, (TYPE)9, (TYPE)8, next) == (TYPE)0);        \
    CHECK(shmem_##NAME##_atomic_compare_swap(w, (TYPE)0, (TYPE)8, next) == (TYPE)0);        \
    CHECK(shmem_ctx_##NAME##_atomic_compare_swap(C, w, (TYPE)8, (TYPE)9, next) == (TYPE)8); \
    shmem_##NAME##_atomic_compare_swap_nbi(&found, w, (TYPE)9, (TYPE)1, next);              \
    shmem_quiet();                                                                          \
    CHECK(found == (TYPE)9);                                                                \
    shmem_ctx_##NAME##_atomic_compare_swap_nbi(C, &found, w, (TYPE)1, (TYPE)2, next);       \
    shmem_quiet();                                                                          \
    CHECK(found == (TYPE)1 && shmem_##NAME##_atomic_fetch(w, next) == (TYPE)2);             \
    shmem_free(w);                                                                          \
  }

#define ONE_BITWISE(NAME, TYPE, OP, START, GIVEN, RESULT)                              \
  shmem_##NAME##_atomic_set(a, (TYPE)START, next);                                     \
  shmem_##NAME##_atomic_##OP(a, (TYPE)GIVEN, next);                                    \
  CHECK(shmem_##NAME##_atomic_fetch(a, next) == (TYPE)(RESULT));                       \
  shmem_##NAME##_atomic_set(a, (TYPE)START, next);                                     \
  shmem_ctx_##NAME##_atomic_##OP(C, a, (TYPE)GIVEN, next);                             \
  CHECK(shmem_##NAME##_atomic_fetch(a, next) == (TYPE)(RESULT));                       \
  shmem_##NAME##_atomic_set(a, (TYPE)START, next);                                     \
  CHECK(shmem_##NAME##_atomic_fetch_##OP(a, (TYPE)GIVEN, next) == (TYPE)START);        \
  CHECK(shmem_##NAME##_atomic_swap(a, (TYPE)START, next) == (TYPE)(RESULT));           \
  CHECK(shmem_ctx_##NAME##_atomic_fetch_##OP(C, a, (TYPE)GIVEN, next) == (TYPE)START); \
  CHECK(shmem_##NAME##_atomic_swap(a, (TYPE)START, next) == (TYPE)(RESULT));           \
  shmem_##NAME##_atomic_fetch_##OP##_nbi(&found, a, (TYPE)GIVEN, next);                \
  shmem_quiet();                                                                       \
  CHECK(found == (TYPE)START);                                                         \
  CHECK(shmem_##NAME##_atomic_swap(a, (TYPE)START, next) == (TYPE)(RESULT));           \
  shmem_ctx_##NAME##_atomic_fetch_##OP##_nbi(C, &found, a, (TYPE)GIVEN, next);         \
  shmem_quiet();                                                                       \
  CHECK(found == (TYPE)START && shmem_##NAME##_atomic_fetch(a, next) == (TYPE)(RESULT));

#define BITWISE(NAME, TYPE)                               \
  static void bitwise_##NAME(void) {                      \
    const int next = (shmem_my_pe() + 1) % shmem_n_pes(); \
    TYPE* a = fresh(sizeof(TYPE));                        \
    TYPE found = 0;                                       \
    ONE_BITWISE(NAME, TYPE, and, 0x6f, 0x3c, 0x6f & 0x3c) \
    ONE_BITWISE(NAME, TYPE, or, 0x6f, 0x3c, 0x6f | 0x3c)  \
    ONE_BITWISE(NAME, TYPE, xor, 0x6f, 0x3c, 0x6f ^ 0x3c) \
    shmem_free(a);                                        \
  }
EXTENDED_AMO_TYPES(EXTENDED)
AMO_TYPES(STANDARD)
AMO_TYPES(COMPARED)
BITWISE_AMO_TYPES(BITWISE)

void test_atomics(void) {
#define RUN(NAME, TYPE) extended_##NAME();
  EXTENDED_AMO_TYPES(RUN)
#undef RUN
#define RUN(NAME, TYPE) standard_##NAME();
  AMO_TYPES(RUN)
#undef RUN
#define RUN(NAME, TYPE) compared_##NAME();
  AMO_TYPES(RUN)
#undef RUN
#define RUN(NAME, TYPE) bitwise_##NAME();
  BITWISE_AMO_TYPES(RUN)
#undef RUN
}

#define OLD_EXTENDED(NAME, TYPE)                             \
  static void old_extended_##NAME(void) {                    \
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();    \
    TYPE* a = fresh(sizeof(TYPE));                           \
    shmem_##NAME##_set(a, (TYPE)3, next);                    \
    CHECK(shmem_##NAME##_swap(a, (TYPE)4, next) == (TYPE)3); \
    CHECK(shmem_##NAME##_fetch(a, next) == (TYPE)4);         \
    shmem_free(a);                                           \
  }
OLD_EXTENDED_AMO_TYPES(OLD_EXTENDED)

#define OLD(NAME, TYPE)                                                \
  static void old_##NAME(void) {                                       \
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();              \
    TYPE* a = fresh(sizeof(TYPE));                                     \
    shmem_##NAME##_add(a, (TYPE)3, next);                              \
    shmem_##NAME##_inc(a, next);                                       \
    CHECK(shmem_##NAME##_fadd(a, (TYPE)1, next) == (TYPE)4);           \
    CHECK(shmem_##NAME##_finc(a, next) == (TYPE)5);                    \
    CHECK(shmem_##NAME##_cswap(a, (TYPE)6, (TYPE)9, next) == (TYPE)6); \
    CHECK(shmem_##NAME##_fetch(a, next) == (TYPE)9);                   \
    shmem_free(a);                                                     \
  }
OLD_AMO_TYPES(OLD)

void test_old_atomics(void) {
#define RUN(NAME, TYPE) old_extended_##NAME();
  OLD_EXTENDED_AMO_TYPES(RUN)
#undef RUN
#define RUN(NAME, TYPE) old_##NAME();
  OLD_AMO_TYPES(RUN)
#undef RUN
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  long* a = fresh(sizeof(long));
  CHECK((shmem_swap)(a, 5, next) == 0 && (shmem_swap)(a, 6, next) == 5);
  shmem_free(a);
}
