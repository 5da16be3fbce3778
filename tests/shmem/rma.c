/* Puts and gets of all types and sizes, in all forms. */
#include "check.h"

#define PUT_AND_GET(NAME, TYPE)                                                                   \
  static void put_and_get_##NAME(void) {                                                          \
    const int pes = shmem_n_pes(), me = shmem_my_pe(), next = (me + 1) % pes;                     \
    const int before = (me + pes - 1) % pes;                                                      \
    TYPE* a = fresh(8 * ELEMENTS * sizeof(TYPE));                                                 \
    TYPE mine[ELEMENTS], got[ELEMENTS];                                                           \
    shmem_ctx_t ctx;                                                                              \
    CHECK(shmem_ctx_create(0, &ctx) == 0);                                                        \
    for (int i = 0; i < ELEMENTS; ++i) mine[i] = (TYPE)(me + 1 + i);                              \
    shmem_##NAME##_put(a, mine, ELEMENTS, next);                                                  \
    shmem_ctx_##NAME##_put(ctx, a + ELEMENTS, mine, ELEMENTS, next);                              \
    shmem_##NAME##_put_nbi(a + 2 * ELEMENTS, mine, ELEMENTS, next);                               \
    shmem_ctx_##NAME##_put_nbi(ctx, a + 3 * ELEMENTS, mine, ELEMENTS, next);                      \
    shmem_##NAME##_p(a + 4 * ELEMENTS, mine[0], next);                                            \
    shmem_ctx_##NAME##_p(ctx, a + 4 * ELEMENTS + 1, mine[1], next);                               \
    shmem_ctx_quiet(ctx);                                                                         \
    shmem_barrier_all();                                                                          \
    for (int part = 0; part < 4; ++part)                                                          \
      for (int i = 0; i < ELEMENTS; ++i) CHECK(a[part * ELEMENTS + i] == (TYPE)(before + 1 + i)); \
    CHECK(a[4 * ELEMENTS] == (TYPE)(before + 1));                                                 \
    CHECK(a[4 * ELEMENTS + 1] == (TYPE)(before + 2));                                             \
    memset(got, 0, sizeof got);                                                                   \
    shmem_##NAME##_get(got, a, ELEMENTS, next);                                                   \
    for (int i = 0; i < ELEMENTS; ++i) CHECK(got[i] == mine[i]);                                  \
    memset(got, 0, sizeof got);                                                                   \
    shmem_ctx_##NAME##_get(ctx, got, a, ELEMENTS, next);                                          \
    for (int i = 0; i < ELEMENTS; ++i) CHECK(got[i] == mine[i]);                                  \
    memset(got, 0, sizeof got);                                                                   \
    shmem_##NAME##_get_nbi(got, a, ELEMENTS / 2, next);                                           \
    shmem_ctx_##NAME##_get_nbi(ctx, got + ELEMENTS / 2, a + ELEMENTS / 2, ELEMENTS / 2, next);    \
    shmem_quiet();                                                                                \
    shmem_ctx_quiet(ctx);                                                                         \
    for (int i = 0; i < ELEMENTS; ++i) CHECK(got[i] == mine[i]);                                  \
    CHECK(shmem_##NAME##_g(a, next) == mine[0]);                                                  \
    CHECK(shmem_ctx_##NAME##_g(ctx, a + 1, next) == mine[1]);                                     \
    shmem_ctx_destroy(ctx);                                                                       \
    shmem_free(a);                                                                                \
  }
RMA_TYPES(PUT_AND_GET)

void test_puts_and_gets(void) {
#define RUN(NAME, TYPE) put_and_get_##NAME();
  RMA_TYPES(RUN)
#undef RUN
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  const int before = (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes();
  /* A fence keeps non-blocking puts in order, pe_quiet completes them. */
  long* a = fresh(2 * sizeof(long));
  const long first = 1 + shmem_my_pe(), second = 100 + shmem_my_pe();
  shmem_long_put_nbi(a, &first, 1, next);
  shmem_fence();
  shmem_ctx_fence(SHMEM_CTX_DEFAULT);
  shmem_long_put_nbi(a, &second, 1, next);
  shmem_pe_quiet(next);
  shmem_ctx_pe_quiet(SHMEM_CTX_DEFAULT, next);
  CHECK(shmem_long_g(a, next) == second);
  shmem_sync_all();
  CHECK(a[0] == 100 + before);
  shmem_free(a);
}

#define STRIDES(NAME, TYPE)                                                                        \
  static void strides_##NAME(void) {                                                               \
    const int pes = shmem_n_pes(), me = shmem_my_pe(), next = (me + 1) % pes;                      \
    TYPE* a = fresh(64 * sizeof(TYPE));                                                            \
    TYPE mine[16], got[16];                                                                        \
    for (int i = 0; i < 16; ++i) mine[i] = (TYPE)(i + 1);                                          \
    shmem_##NAME##_iput(a, mine, 2, 3, 4, next);                                                   \
    shmem_ctx_##NAME##_iput(SHMEM_CTX_DEFAULT, a + 16, mine, 2, 3, 4, next);                       \
    shmem_##NAME##_ibput(a + 32, mine, 5, 4, 2, 3, next);                                          \
    shmem_ctx_##NAME##_ibput(SHMEM_CTX_DEFAULT, a + 48, mine, 5, 4, 2, 3, next);                   \
    shmem_barrier_all();                                                                           \
    for (int part = 0; part < 2; ++part) {                                                         \
      for (int i = 0; i < 4; ++i) CHECK(a[16 * part + 2 * i] == (TYPE)(3 * i + 1));                \
      CHECK(a[16 * part + 1] == (TYPE)0);                                                          \
      for (int i = 0; i < 3; ++i)                                                                  \
        for (int j = 0; j < 2; ++j) CHECK(a[32 + 16 * part + 5 * i + j] == (TYPE)(4 * i + j + 1)); \
    }                                                                                              \
    memset(got, 0, sizeof got);                                                                    \
    shmem_##NAME##_iget(got, a, 1, 2, 4, next);                                                    \
    shmem_ctx_##NAME##_iget(SHMEM_CTX_DEFAULT, got + 4, a, 1, 2, 4, next);                         \
    for (int i = 0; i < 8; ++i) CHECK(got[i] == (TYPE)(3 * (i % 4) + 1));                          \
    shmem_##NAME##_ibget(got, a + 32, 2, 5, 2, 3, next);                                           \
    shmem_ctx_##NAME##_ibget(SHMEM_CTX_DEFAULT, got + 6, a + 32, 2, 5, 2, 3, next);                \
    for (int i = 0; i < 12; ++i) CHECK(got[i] == (TYPE)(4 * (i % 6 / 2) + i % 2 + 1));             \
    shmem_free(a);                                                                                 \
  }
RMA_TYPES(STRIDES)

void test_strides(void) {
#define RUN(NAME, TYPE) strides_##NAME();
  RMA_TYPES(RUN)
#undef RUN
}

/* Elements of BITS bits: bytes that differ. */
#define SIZED(BITS)                                                                                \
  static void sized_##BITS(void) {                                                                 \
    enum { BYTES = BITS / 8, ALL = 8 * BYTES };                                                    \
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();                                          \
    char* a = fresh(8 * ALL);                                                                      \
    char mine[ALL], got[ALL];                                                                      \
    for (int i = 0; i < ALL; ++i) mine[i] = (char)(i + 1);                                         \
    shmem_put##BITS(a, mine, 8, next);                                                             \
    shmem_ctx_put##BITS(SHMEM_CTX_DEFAULT, a + ALL, mine, 8, next);                                \
    shmem_put##BITS##_nbi(a + 2 * ALL, mine, 8, next);                                             \
    shmem_ctx_put##BITS##_nbi(SHMEM_CTX_DEFAULT, a + 3 * ALL, mine, 8, next);                      \
    shmem_iput##BITS(a + 4 * ALL, mine, 2, 1, 4, next);                                            \
    shmem_ctx_iput##BITS(SHMEM_CTX_DEFAULT, a + 5 * ALL, mine, 2, 1, 4, next);                     \
    shmem_ibput##BITS(a + 6 * ALL, mine, 4, 2, 2, 2, next);                                        \
    shmem_ctx_ibput##BITS(SHMEM_CTX_DEFAULT, a + 7 * ALL, mine, 4, 2, 2, 2, next);                 \
    shmem_barrier_all();                                                                           \
    for (int i = 0; i < 4; ++i) CHECK(memcmp(a + i * ALL, mine, ALL) == 0);                        \
    for (int part = 4; part < 6; ++part)                                                           \
      for (int i = 0; i < 4; ++i)                                                                  \
        CHECK(memcmp(a + part * ALL + 2 * i * BYTES, mine + i * BYTES, BYTES) == 0);               \
    for (int part = 6; part < 8; ++part)                                                           \
      for (int i = 0; i < 2; ++i)                                                                  \
        CHECK(memcmp(a + part * ALL + 4 * i * BYTES, mine + 2 * i * BYTES, 2 * BYTES) == 0);       \
    for (int form = 0; form < 4; ++form) {                                                         \
      memset(got, 0, sizeof got);                                                                  \
      if (form == 0) shmem_get##BITS(got, a, 8, next);                                             \
      if (form == 1) shmem_ctx_get##BITS(SHMEM_CTX_DEFAULT, got, a, 8, next);                      \
      if (form == 2) shmem_get##BITS##_nbi(got, a, 8, next);                                       \
      if (form == 3) shmem_ctx_get##BITS##_nbi(SHMEM_CTX_DEFAULT, got, a, 8, next);                \
      shmem_quiet();                                                                               \
      CHECK(memcmp(got, mine, ALL) == 0);                                                          \
    }                                                                                              \
    for (int form = 0; form < 2; ++form) {                                                         \
      memset(got, 0, sizeof got);                                                                  \
      if (form == 0) shmem_iget##BITS(got, a + 4 * ALL, 1, 2, 4, next);                            \
      if (form == 1) shmem_ctx_iget##BITS(SHMEM_CTX_DEFAULT, got, a + 4 * ALL, 1, 2, 4, next);     \
      CHECK(memcmp(got, mine, 4 * BYTES) == 0);                                                    \
      memset(got, 0, sizeof got);                                                                  \
      if (form == 0) shmem_ibget##BITS(got, a + 6 * ALL, 2, 4, 2, 2, next);                        \
      if (form == 1) shmem_ctx_ibget##BITS(SHMEM_CTX_DEFAULT, got, a + 6 * ALL, 2, 4, 2, 2, next); \
      CHECK(memcmp(got, mine, 4 * BYTES) == 0);                                                    \
    }                                                                                              \
    shmem_free(a);                                                                                 \
  }
SIZED(8)
SIZED(16)
SIZED(32)
SIZED(64)
SIZED(128)

/* Addresses may be null where nothing is moved. */
static void move_nothing(int pe) {
  shmem_putmem(NULL, NULL, 0, pe);
  shmem_getmem(NULL, NULL, 0, pe);
  shmem_long_put_nbi(NULL, NULL, 0, pe);
  shmem_long_get_nbi(NULL, NULL, 0, pe);
  shmem_long_iput(NULL, NULL, 1, 1, 0, pe);
  shmem_long_iget(NULL, NULL, 1, 1, 0, pe);
  shmem_long_ibput(NULL, NULL, 4, 4, 0, 3, pe);
  shmem_long_ibget(NULL, NULL, 4, 4, 3, 0, pe);
}

void test_sizes(void) {
  sized_8(), sized_16(), sized_32(), sized_64(), sized_128();
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  move_nothing(next);
  char* a = fresh(4000);
  char mine[1000], got[4000];
  for (int i = 0; i < 1000; ++i) mine[i] = (char)i;
  shmem_putmem(a, mine, 1000, next);
  shmem_ctx_putmem(SHMEM_CTX_DEFAULT, a + 1000, mine, 1000, next);
  shmem_putmem_nbi(a + 2000, mine, 1000, next);
  shmem_ctx_putmem_nbi(SHMEM_CTX_DEFAULT, a + 3000, mine, 1000, next);
  shmem_barrier_all();
  shmem_getmem(got, a, 1000, next);
  shmem_ctx_getmem(SHMEM_CTX_DEFAULT, got + 1000, a + 1000, 1000, next);
  shmem_getmem_nbi(got + 2000, a + 2000, 1000, next);
  shmem_ctx_getmem_nbi(SHMEM_CTX_DEFAULT, got + 3000, a + 3000, 1000, next);
  shmem_quiet();
  for (int i = 0; i < 4; ++i)
    CHECK(memcmp(got + 1000 * i, mine, 1000) == 0 && memcmp(a + 1000 * i, mine, 1000) == 0);
  shmem_free(a);
}
