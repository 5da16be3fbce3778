/* Reductions and scans of all types. PE p has 1 + p % 2 first, and 2 then. */
#include "check.h"

#define BEGIN(TYPE)                                  \
  const int pes = shmem_n_pes(), me = shmem_my_pe(); \
  TYPE* a = fresh(2 * sizeof(TYPE));                 \
  TYPE* b = fresh(2 * sizeof(TYPE));                 \
  a[0] = (TYPE)(1 + me % 2), a[1] = (TYPE)2;         \
  int sum = 0, product = 1, before = 0;              \
  for (int pe = 0; pe < pes; ++pe) {                 \
    if (pe < me) before += 1 + pe % 2;               \
    sum += 1 + pe % 2, product *= 1 + pe % 2;        \
  }                                                  \
  (void)sum, (void)product, (void)before;
#define END            \
  shmem_barrier_all(); \
  shmem_free(a), shmem_free(b);
#define REDUCED(NAME, TYPE, OP, FIRST, SECOND)                         \
  CHECK(shmem_##NAME##_##OP##_reduce(SHMEM_TEAM_WORLD, b, a, 2) == 0); \
  CHECK(b[0] == (TYPE)(FIRST) && b[1] == (TYPE)(SECOND));

#define NUMBERS(NAME, TYPE)                                                                     \
  static void numbers_##NAME(void) {                                                            \
    BEGIN(TYPE)                                                                                 \
    REDUCED(NAME, TYPE, sum, sum, 2 * pes)                                                      \
    CHECK(shmem_##NAME##_prod_reduce(SHMEM_TEAM_WORLD, b, a, 1) == 0 && b[0] == (TYPE)product); \
    CHECK(shmem_##NAME##_sum_inscan(SHMEM_TEAM_WORLD, b, a, 2) == 0);                           \
    CHECK(b[0] == (TYPE)(before + 1 + me % 2) && b[1] == (TYPE)(2 * me + 2));                   \
    CHECK(shmem_##NAME##_sum_exscan(SHMEM_TEAM_WORLD, b, a, 2) == 0);                           \
    CHECK(b[0] == (TYPE)before && b[1] == (TYPE)(2 * me));                                      \
    CHECK(shmem_##NAME##_sum_reduce(SHMEM_TEAM_WORLD, a, a, 2) == 0 && a[0] == (TYPE)sum);      \
    END                                                                                         \
  }
REDUCE_NUMBERS_TYPES(NUMBERS)

#define ORDERED(NAME, TYPE)                      \
  static void ordered_##NAME(void) {             \
    BEGIN(TYPE)                                  \
    REDUCED(NAME, TYPE, max, pes > 1 ? 2 : 1, 2) \
    REDUCED(NAME, TYPE, min, 1, 2)               \
    END                                          \
  }
REDUCE_ORDERED_TYPES(ORDERED)

#define BITWISE(NAME, TYPE)                                                        \
  static void bitwise_##NAME(void) {                                               \
    BEGIN(TYPE)                                                                    \
    REDUCED(NAME, TYPE, and, pes > 1 ? 0 : 1, 2)                                   \
    REDUCED(NAME, TYPE, or, pes > 1 ? 3 : 1, 2)                                    \
    REDUCED(NAME, TYPE, xor, ((pes + 1) / 2 % 2) + 2 * (pes / 2 % 2), pes % 2 * 2) \
    END                                                                            \
  }
REDUCE_BITWISE_TYPES(BITWISE)

/* So long that members on a node reduce where the elements are. */
static void reduce_long(void) {
  enum { LONG = 50003 };
  const int pes = shmem_n_pes(), me = shmem_my_pe();
  double* a = fresh(LONG * sizeof(double));
  double* b = fresh(LONG * sizeof(double));
  int* c = fresh(LONG * sizeof(int));
  for (int i = 0; i < LONG; ++i) a[i] = i + me, c[i] = i % pes == me ? i : -1;
  CHECK(shmem_double_sum_reduce(SHMEM_TEAM_WORLD, b, a, LONG) == 0);
  for (int i = 0; i < LONG; ++i)
    CHECK(b[i] == (double)i * pes + pes * (pes - 1) / 2 && a[i] == i + me);
  CHECK(shmem_double_max_reduce(SHMEM_TEAM_WORLD, a, a, LONG) == 0); /* in place */
  CHECK(shmem_int_max_reduce(SHMEM_TEAM_SHARED, c, c, LONG) == 0);
  for (int i = 0; i < LONG; ++i) CHECK(a[i] == i + pes - 1);
  if (shmem_team_n_pes(SHMEM_TEAM_SHARED) == pes)
    for (int i = 0; i < LONG; ++i) CHECK(c[i] == i);
  /* The source of one PE is its own: all take another way. */
  double* const own = malloc(LONG * sizeof(double));
  CHECK(own != NULL);
  double* const source = me == 0 ? own : a;
  for (int i = 0; i < LONG; ++i) source[i] = i;
  CHECK(shmem_double_sum_reduce(SHMEM_TEAM_WORLD, b, source, LONG) == 0);
  for (int i = 0; i < LONG; ++i) CHECK(b[i] == (double)i * pes);
  free(own);
  shmem_barrier_all();
  shmem_free(c), shmem_free(b), shmem_free(a);
}

void test_reductions(void) {
  reduce_long();
#define RUN(NAME, TYPE) numbers_##NAME();
  REDUCE_NUMBERS_TYPES(RUN)
#undef RUN
#define RUN(NAME, TYPE) ordered_##NAME();
  REDUCE_ORDERED_TYPES(RUN)
#undef RUN
#define RUN(NAME, TYPE) bitwise_##NAME();
  REDUCE_BITWISE_TYPES(RUN)
#undef RUN
}

#define TO_ALL(NAME, TYPE, OP, FIRST, SECOND)                   \
  shmem_##NAME##_##OP##_to_all(b, a, 2, 0, 0, pes, work, sync); \
  CHECK(b[0] == (TYPE)(FIRST) && b[1] == (TYPE)(SECOND));
#define OLD_BEGIN(TYPE)                                                 \
  BEGIN(TYPE)                                                           \
  TYPE* work = fresh(SHMEM_REDUCE_MIN_WRKDATA_SIZE * 2 * sizeof(TYPE)); \
  long* sync = fresh(SHMEM_REDUCE_SYNC_SIZE * sizeof(long));
#define OLD_END                       \
  shmem_free(work), shmem_free(sync); \
  END

#define OLD_NUMBERS(NAME, TYPE)                                 \
  static void old_numbers_##NAME(void) {                        \
    OLD_BEGIN(TYPE)                                             \
    TO_ALL(NAME, TYPE, sum, sum, 2 * pes)                       \
    shmem_##NAME##_prod_to_all(b, a, 1, 0, 0, pes, work, sync); \
    CHECK(b[0] == (TYPE)product);                               \
    OLD_END                                                     \
  }
TO_ALL_NUMBERS_TYPES(OLD_NUMBERS)
#define OLD_ORDERED(NAME, TYPE)                 \
  static void old_ordered_##NAME(void) {        \
    OLD_BEGIN(TYPE)                             \
    TO_ALL(NAME, TYPE, max, pes > 1 ? 2 : 1, 2) \
    TO_ALL(NAME, TYPE, min, 1, 2)               \
    OLD_END                                     \
  }
TO_ALL_ORDERED_TYPES(OLD_ORDERED)
#define OLD_BITWISE(NAME, TYPE)                                                   \
  static void old_bitwise_##NAME(void) {                                          \
    OLD_BEGIN(TYPE)                                                               \
    TO_ALL(NAME, TYPE, and, pes > 1 ? 0 : 1, 2)                                   \
    TO_ALL(NAME, TYPE, or, pes > 1 ? 3 : 1, 2)                                    \
    TO_ALL(NAME, TYPE, xor, ((pes + 1) / 2 % 2) + 2 * (pes / 2 % 2), pes % 2 * 2) \
    OLD_END                                                                       \
  }
TO_ALL_BITWISE_TYPES(OLD_BITWISE)

void test_old_reductions(void) {
#define RUN(NAME, TYPE) old_numbers_##NAME();
  TO_ALL_NUMBERS_TYPES(RUN)
#undef RUN
#define RUN(NAME, TYPE) old_ordered_##NAME();
  TO_ALL_ORDERED_TYPES(RUN)
#undef RUN
#define RUN(NAME, TYPE) old_bitwise_##NAME();
  TO_ALL_BITWISE_TYPES(RUN)
#undef RUN
}
