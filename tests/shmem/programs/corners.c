/* Corners of transfers, order, locks, memory, waits and atomics that programs of others come to. */
#include "expect.h"

static int int_source[N], int_dest[N];
static long long_dest[N];

/* Elements of all sizes with steps to both sides, and none at all. */
static void strides(void) {
  static short short_dest[N], short_source[N];
  for (short i = 0; i < N; ++i) short_source[i] = (short)(i + 1), short_dest[i] = 0;
  memset(int_dest, 0, sizeof int_dest);
  for (int i = 0; i < N; ++i) int_source[i] = 10 * me + i;
  shmem_barrier_all();
  shmem_short_iput(short_dest, short_source, 1, 2, N / 2, next);
  shmem_int_iput(int_dest, int_source, 3, 1, N / 4, next);
  shmem_int_iput(int_dest + 1, NULL, 1, 1, 0, next);
  shmem_barrier_all();
  for (int i = 0; i < N / 2; ++i) EXPECT(short_dest[i] == 2 * i + 1);
  for (int i = 0; i < N / 4; ++i)
    EXPECT(int_dest[3 * i] == 10 * previous + i && int_dest[3 * i + 1] == 0);
  shmem_barrier_all();
  int got[N];
  memset(got, 0, sizeof got);
  shmem_int_iget(got, int_source, 2, 4, N / 8, next);
  for (int i = 0; i < N / 8; ++i) EXPECT(got[2 * i] == 10 * next + 4 * i && got[2 * i + 1] == 0);
  struct pair {
    double a, b;
  };
  static struct pair pairs[N], pairs_there[N];
  for (int i = 0; i < N; ++i) pairs[i].a = me + i, pairs[i].b = -i;
  memset(pairs_there, 0, sizeof pairs_there);
  shmem_barrier_all();
  shmem_iput128(pairs_there, pairs, 2, 1, N / 2, next);
  shmem_put128(pairs_there + 1, pairs, 1, next);
  shmem_barrier_all();
  EXPECT(pairs_there[N - 2].a == previous + N / 2 - 1 && pairs_there[1].a == previous &&
         pairs_there[3].a == 0);
  char tail[3];
  static char letters[N];
  for (int i = 0; i < N; ++i) letters[i] = (char)('a' + (me + i) % 26);
  shmem_barrier_all();
  shmem_iget8(tail, letters + 1, 1, 7, 3, next);
  EXPECT(tail[0] == 'a' + (next + 1) % 26 && tail[2] == 'a' + (next + 15) % 26);
  shmem_getmem(tail, letters + 5, 3, previous);
  EXPECT(tail[0] == 'a' + (previous + 5) % 26);
  shmem_getmem(NULL, NULL, 0, next);
  shmem_putmem(NULL, NULL, 0, next);
  shmem_long_put(long_dest, NULL, 0, next);
  shmem_long_get_nbi(NULL, long_dest, 0, next);
  shmem_quiet();
  shmem_barrier_all();
}

/* A number that all draw, beside puts to a neighbour whose counter says how many are there. */
static void order(void) {
  static long drawn, values[ROUNDS * 4];
  static int arrived;
  drawn = 0, arrived = 0;
  memset(values, 0, sizeof values);
  shmem_barrier_all();
  for (long round = 0; round < ROUNDS; ++round) {
    const long part[4] = {round, round + 1, round + 2, round * me};
    shmem_long_put_nbi(values + 4 * round, part, 4, next);
    shmem_fence();
    shmem_int_atomic_inc(&arrived, next);
    (void)shmem_long_atomic_fetch_add(&drawn, 2, 0);
    shmem_int_wait_until(&arrived, SHMEM_CMP_GT, (int)round);
    EXPECT(values[4 * round + 1] == round + 1 && values[4 * round + 3] == round * previous);
  }
  shmem_barrier_all();
  EXPECT(shmem_long_g(&drawn, 0) == 2L * ROUNDS * pes);
  shmem_barrier_all();
}

static void locks(void) {
  static long lock = 0, three[3], in_order, tried;
  in_order = tried = 0;
  shmem_barrier_all();
  for (int round = 0; round < ROUNDS; ++round) {
    shmem_set_lock(&lock);
    const long seen = shmem_long_g(&in_order, pes - 1);
    shmem_long_p(&in_order, seen + 1, pes - 1);
    shmem_clear_lock(&lock);
    while (shmem_test_lock(&three[round % 3])) continue;
    shmem_long_p(&tried, shmem_long_g(&tried, round % 3 % pes) + 1, round % 3 % pes);
    shmem_clear_lock(&three[round % 3]);
  }
  shmem_barrier_all();
  EXPECT(shmem_long_g(&in_order, pes - 1) == (long)ROUNDS * pes);
  shmem_barrier_all();
}

static void pointers(void) {
  static long here_static;
  long* const heap = shmem_malloc(2 * sizeof(long));
  here_static = heap[0] = heap[1] = me;
  shmem_barrier_all();
  for (int pe = 0; pe < pes; ++pe) {
    long* const there = shmem_ptr(heap, pe);
    long* const there_static = shmem_ptr(&here_static, pe);
    if (there != NULL) EXPECT(there[0] == pe);
    if (there_static != NULL) EXPECT(*there_static == pe);
  }
  long on_stack = 0;
  EXPECT(shmem_ptr(heap, me) == heap && *(long*)shmem_ptr(heap + 1, me) == me);
  EXPECT(shmem_addr_accessible(heap, next) && shmem_addr_accessible(&here_static, next));
  EXPECT(!shmem_addr_accessible(&on_stack, next) && !shmem_addr_accessible(NULL, next));
  EXPECT(shmem_ptr(&on_stack, next) == NULL || next == me);
  shmem_barrier_all();
  shmem_free(heap);
}

static void memory(void) {
  void* blocks[ROUNDS];
  for (int i = 0; i < ROUNDS; ++i) {
    blocks[i] = i % 3 == 0   ? shmem_malloc((size_t)i * 1000 + 1)
                : i % 3 == 1 ? shmem_align((size_t)64 << i % 8, (size_t)i + 1)
                             : shmem_calloc((size_t)i, 17);
    EXPECT(blocks[i] != NULL);
    if (i % 3 == 1) EXPECT((uintptr_t)blocks[i] % ((uintptr_t)64 << i % 8) == 0);
    shmem_char_p(blocks[i], (char)i, next);
  }
  shmem_barrier_all();
  for (int i = 0; i < ROUNDS; i += 2) EXPECT(*(char*)blocks[i] == i), shmem_free(blocks[i]);
  for (int i = 1; i < ROUNDS; i += 2) {
    blocks[i] = shmem_realloc(blocks[i], 100000);
    EXPECT(*(char*)blocks[i] == i);
  }
  for (int i = 1; i < ROUNDS; i += 2) shmem_free(blocks[i]);
  EXPECT(shmem_malloc(0) == NULL && shmem_align(64, 0) == NULL && shmem_align(3, 8) == NULL);
  EXPECT(shmem_calloc(SIZE_MAX / 2, 4) == NULL);
  EXPECT(shmem_realloc(NULL, 0) == NULL);
  long* const from_nothing = shmem_realloc(NULL, 80);
  EXPECT(from_nothing != NULL && shmem_realloc(from_nothing, 0) == NULL);
}

static void signals(void) {
  static uint64_t set, added;
  static int data[N];
  set = added = 0;
  memset(data, 0, sizeof data);
  for (int i = 0; i < N; ++i) int_source[i] = 7 * me + i;
  shmem_barrier_all();
  shmem_int_put_signal(data, int_source, N, &set, 5, SHMEM_SIGNAL_SET, next);
  EXPECT(shmem_signal_wait_until(&set, SHMEM_CMP_EQ, 5) == 5);
  for (int i = 0; i < N; ++i) EXPECT(data[i] == 7 * previous + i);
  shmem_barrier_all();
  for (int pe = 0; pe < pes; ++pe)
    shmem_putmem_signal_nbi(data + me % N, int_source, 4, &added, 3, SHMEM_SIGNAL_ADD, pe);
  EXPECT(shmem_signal_wait_until(&added, SHMEM_CMP_GE, 3 * (uint64_t)pes) == 3 * (uint64_t)pes);
  for (int pe = 0; pe < pes && pe < N; ++pe) EXPECT(data[pe] == 7 * pe);
  shmem_put32_signal(data, NULL, 0, &set, 9, SHMEM_SIGNAL_SET, next);
  shmem_signal_wait_until(&set, SHMEM_CMP_NE, 5);
  EXPECT(shmem_signal_fetch(&set) == 9);
  shmem_barrier_all();
}

/* Words of others are not seen in parts, and comparisons count signs. */
static void waits(void) {
  static int word;
  static long many[8];
  static unsigned long long unsigned_word;
  volatile int* const looked_at = &word;
  word = 0, unsigned_word = 0;
  memset(many, 0, sizeof many);
  shmem_barrier_all();
  shmem_int_p(&word, -4, next);
  shmem_int_wait_until(&word, SHMEM_CMP_LT, 0);
  EXPECT(*looked_at == -4);
  shmem_ulonglong_p(&unsigned_word, ~0ULL, next);
  shmem_ulonglong_wait_until(&unsigned_word, SHMEM_CMP_GT, 1ULL << 63);
  for (int i = 7; i >= 0; --i) shmem_long_p(&many[i], i + 1, next);
  int status[8] = {0};
  size_t indices[8], left = 8;
  while (left > 0) {
    const size_t found = shmem_long_wait_until_some(many, 8, indices, status, SHMEM_CMP_GT, 0);
    EXPECT(found >= 1 && found <= left);
    for (size_t i = 0; i < found; ++i) EXPECT(status[indices[i]] == 0), status[indices[i]] = 1;
    left -= found;
  }
  EXPECT(shmem_long_wait_until_any(many, 8, status, SHMEM_CMP_GT, 0) == SIZE_MAX);
  EXPECT(shmem_long_wait_until_some(many, 8, indices, status, SHMEM_CMP_GT, 0) == 0);
  shmem_long_wait_until_all(many, 8, NULL, SHMEM_CMP_NE, 0);
  shmem_long_wait_until_all(many, 0, NULL, SHMEM_CMP_EQ, 12345);
  EXPECT(shmem_long_test_all(many, 0, NULL, SHMEM_CMP_EQ, 12345) == 1);
  EXPECT(shmem_long_test_any(many, 0, NULL, SHMEM_CMP_EQ, 12345) == SIZE_MAX);
  shmem_barrier_all();
}

static void atomics(void) {
  static int counter;
  static long long swapped;
  static float f;
  static double d;
  static uint64_t mask;
  counter = 0, swapped = 0, f = 0, d = 0, mask = 0;
  shmem_barrier_all();
  for (int pe = 0; pe < pes; ++pe) shmem_int_atomic_add(&counter, me + 1, pe);
  shmem_barrier_all();
  EXPECT(counter == pes * (pes + 1) / 2);
  shmem_uint64_atomic_or(&mask, (uint64_t)1 << me % 64, 0);
  int won = shmem_longlong_atomic_compare_swap(&swapped, 0, me + 1, 0) == 0;
  shmem_barrier_all();
  EXPECT(pes > 64 || shmem_uint64_atomic_fetch(&mask, 0) ==
                         (pes == 64 ? ~(uint64_t)0 : ((uint64_t)1 << pes) - 1));
  EXPECT(won == (shmem_longlong_g(&swapped, 0) == me + 1));
  shmem_barrier_all();
  shmem_float_atomic_set(&f, (float)me, next);
  shmem_double_p(&d, 2.0 * me, next);
  shmem_barrier_all();
  EXPECT(shmem_float_atomic_swap(&f, -1, me) == (float)previous &&
         shmem_double_atomic_fetch(&d, me) == 2.0 * previous);
  EXPECT(shmem_int_fadd(&counter, 0, me) == counter && shmem_int_finc(&counter, me) == counter - 1);
  shmem_int_inc(&counter, me), shmem_int_add(&counter, 5, me);
  EXPECT(shmem_int_cswap(&counter, -1, 0, me) == counter && shmem_int_swap(&counter, 3, me) != 3 &&
         counter == 3);
  EXPECT(shmem_float_fetch(&f, me) == -1);
  shmem_barrier_all();
}

static void begin_and_end(void) {
  int count = 0, threads = -1;
  shmem_query_initialized(&count);
  EXPECT(count >= 1);
  shmem_init();
  int provided = -1;
  EXPECT(shmem_init_thread(SHMEM_THREAD_SERIALIZED, &provided) == 0 &&
         provided >= SHMEM_THREAD_SINGLE);
  shmem_query_thread(&threads);
  EXPECT(threads == provided);
  shmem_finalize();
  shmem_finalize();
  int after = 0;
  shmem_query_initialized(&after);
  EXPECT(after == count);
  char name[SHMEM_MAX_NAME_LEN], major_minor[16];
  int major = -1, minor = -1;
  shmem_info_get_version(&major, &minor);
  shmem_info_get_name(name);
  snprintf(major_minor, sizeof major_minor, "%d.%d", major, minor);
  EXPECT(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION &&
         strlen(name) < SHMEM_MAX_NAME_LEN);
  EXPECT(_my_pe() == me && _num_pes() == pes && shmem_pe_accessible(next));
}

void test_corners(void) {
  begin_and_end(), strides(), order(), locks(), pointers(), memory(), signals(), waits(), atomics();
}
