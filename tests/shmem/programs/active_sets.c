/* Collectives over active sets, with the work arrays that the specifications before 1.5 ask for. */
#include "expect.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* Work arrays as the specifications before 1.5 have them. */
static long barrier_sync[2][_SHMEM_BARRIER_SYNC_SIZE];
static long broadcast_sync[2][_SHMEM_BCAST_SYNC_SIZE];
static long collect_sync[2][_SHMEM_COLLECT_SYNC_SIZE];
static long reduce_sync[2][_SHMEM_REDUCE_SYNC_SIZE];
static long alltoall_sync[2][SHMEM_ALLTOALL_SYNC_SIZE];
static long alltoalls_sync[2][SHMEM_ALLTOALLS_SYNC_SIZE];
static double double_work[MAX(N / 2 + 1, _SHMEM_REDUCE_MIN_WRKDATA_SIZE)];
static int int_work[MAX(N / 2 + 1, SHMEM_REDUCE_MIN_WRKDATA_SIZE)];
static long long_work[MAX(N / 2 + 1, SHMEM_REDUCE_MIN_WRKDATA_SIZE)];

#define FILL(array, value) \
  for (size_t fill_i = 0; fill_i < sizeof(array) / sizeof(array[0]); ++fill_i) array[fill_i] = value
static void fill_sync(void) {
  for (int i = 0; i < 2; ++i) {
    FILL(barrier_sync[i], _SHMEM_SYNC_VALUE);
    FILL(broadcast_sync[i], _SHMEM_SYNC_VALUE);
    FILL(collect_sync[i], _SHMEM_SYNC_VALUE);
    FILL(reduce_sync[i], _SHMEM_SYNC_VALUE);
    FILL(alltoall_sync[i], SHMEM_SYNC_VALUE);
    FILL(alltoalls_sync[i], SHMEM_SYNC_VALUE);
  }
}

static int int_source[N], int_dest[N * 16];
static long long_source[N], long_dest[N * 16];
static double double_source[N], double_dest[N];

/* Sets of every second and every fourth PE, again and again, with two work arrays in turn. */
static void strided_sets(void) {
  for (int log_stride = 0; log_stride <= 2; ++log_stride)
    for (int start = 0; start < 1 << log_stride && start < pes; ++start) {
      const int step = 1 << log_stride, size = (pes - start + step - 1) / step;
      const int is_in = me >= start && (me - start) % step == 0, place = (me - start) / step;
      if (is_in)
        for (int round = 0; round < ROUNDS; ++round) {
          const int which = round % 2;
          const int root = round % size;
          for (int i = 0; i < N; ++i) int_source[i] = 1000 * me + i + round, int_dest[i] = -1;
          shmem_barrier(start, log_stride, size, barrier_sync[which]);
          shmem_broadcast32(int_dest, int_source, N, root, start, log_stride, size,
                            broadcast_sync[which]);
          for (int i = 0; i < N; ++i)
            EXPECT(int_dest[i] == (place == root ? -1 : 1000 * (start + root * step) + i + round));
          shmem_barrier(start, log_stride, size, barrier_sync[which]);
          shmem_fcollect32(int_dest, int_source, 3, start, log_stride, size, collect_sync[which]);
          for (int i = 0; i < 3 * size; ++i)
            EXPECT(int_dest[i] == 1000 * (start + i / 3 * step) + i % 3 + round);
          shmem_barrier(start, log_stride, size, barrier_sync[which]);
          for (int i = 0; i < N; ++i) int_source[i] = me + 1;
          shmem_int_sum_to_all(int_dest, int_source, N, start, log_stride, size, int_work,
                               reduce_sync[which]);
          const int sum = size * (start + 1) + step * size * (size - 1) / 2;
          for (int i = 0; i < N; ++i) EXPECT(int_dest[i] == sum);
          shmem_barrier(start, log_stride, size, barrier_sync[which]);
          for (int i = 0; i < N; ++i) double_source[i] = me - 2.5;
          shmem_double_max_to_all(double_dest, double_source, N, start, log_stride, size,
                                  double_work, reduce_sync[which]);
          EXPECT(double_dest[N - 1] == start + step * (size - 1) - 2.5);
          shmem_barrier(start, log_stride, size, barrier_sync[which]);
        }
      shmem_barrier_all();
    }
}

/* Collects of members with no elements, and with many. */
static void uneven_collects(void) {
  for (int round = 0; round < ROUNDS; ++round) {
    const int mine = (me + round) % 3 == 0 ? 0 : me + 1;
    for (int i = 0; i < N; ++i) long_source[i] = 100 * me + i;
    memset(long_dest, -1, sizeof long_dest);
    shmem_barrier_all();
    shmem_collect64(long_dest, long_source, (size_t)mine, 0, 0, pes, collect_sync[round % 2]);
    int at = 0;
    for (int pe = 0; pe < pes; ++pe)
      for (int i = 0; i < ((pe + round) % 3 == 0 ? 0 : pe + 1); ++i)
        EXPECT(long_dest[at++] == 100 * pe + i);
    EXPECT(long_dest[at] == -1);
    shmem_barrier_all();
    memset(long_dest, -1, sizeof long_dest);
    EXPECT(shmem_long_collect(SHMEM_TEAM_WORLD, long_dest, long_source, (size_t)mine) == 0);
    EXPECT(long_dest[at] == -1 && (at == 0 || long_dest[at - 1] >= 0));
    shmem_barrier_all();
  }
}

static void all_to_all(void) {
  long* const to = shmem_malloc(4 * (size_t)pes * 3 * sizeof(long));
  long* const from = shmem_malloc(4 * (size_t)pes * 3 * sizeof(long));
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 12 * pes; ++i) from[i] = 10000 * me + i, to[i] = -1;
    shmem_barrier_all();
    shmem_alltoalls64(to, from, 3, 2, 2, 0, 0, pes, alltoalls_sync[round % 2]);
    for (int pe = 0; pe < pes; ++pe)
      for (int i = 0; i < 2; ++i) EXPECT(to[(2 * pe + i) * 3] == 10000 * pe + (2 * me + i) * 2);
    EXPECT(to[1] == -1 && to[2] == -1);
    shmem_barrier_all();
    shmem_alltoall32(to, from, 4, 0, 0, pes, alltoall_sync[round % 2]);
    for (int pe = 0; pe < pes; ++pe)
      EXPECT(to[2 * pe] == 10000 * pe + 2 * me && to[2 * pe + 1] == 10000 * pe + 2 * me + 1);
    shmem_barrier_all();
  }
  shmem_free(to);
  shmem_free(from);
}

/* Reductions whose source is the dest, of one element and of none; minus zero, not a number left
 * out. */
static void reductions(void) {
  for (int i = 0; i < N; ++i) long_source[i] = (me + 1) << (i % 8);
  shmem_barrier_all();
  shmem_long_or_to_all(long_source, long_source, N, 0, 0, pes, long_work, reduce_sync[0]);
  long bits = 0;
  for (int pe = 0; pe < pes; ++pe) bits |= pe + 1;
  for (int i = 0; i < N; ++i) EXPECT(long_source[i] == bits << (i % 8));
  shmem_barrier_all();
  static long double many_parts[5], many_all[5], many_work[8];
  for (int i = 0; i < 5; ++i) many_parts[i] = me + i, many_all[i] = -1;
  shmem_barrier_all();
  shmem_longdouble_prod_to_all(many_all, many_parts, 5, 0, 0, pes, many_work, reduce_sync[1]);
  long double product = 1;
  for (int pe = 0; pe < pes; ++pe) product *= pe + 4;
  EXPECT(many_all[4] == product && many_all[0] == 0);
  static float _Complex complex_parts[2], complex_all[2], complex_work[4];
  complex_parts[0] = complex_parts[1] = (float)me + 1.0f;
  ((float*)complex_parts)[1] = 2;
  shmem_barrier_all();
  shmem_complexf_sum_to_all(complex_all, complex_parts, 2, 0, 0, pes, complex_work, reduce_sync[0]);
  EXPECT(((float*)complex_all)[0] == (float)(pes * (pes + 1) / 2) &&
         ((float*)complex_all)[1] == (float)(2 * pes));
  shmem_barrier_all();
  shmem_int_min_to_all(int_dest, int_source, 0, 0, 0, pes, int_work, reduce_sync[1]);
  EXPECT(shmem_int_min_reduce(SHMEM_TEAM_WORLD, int_dest, int_source, 0) == 0);
  static short shorts[3], least[3], short_work[4];
  for (int i = 0; i < 3; ++i) shorts[i] = (short)(me == pes - 1 ? -300 : i);
  shmem_barrier_all();
  shmem_short_min_to_all(least, shorts, 3, 0, 0, pes, short_work, reduce_sync[0]);
  EXPECT(least[0] == -300 && least[2] == -300);
  shmem_barrier_all();
}

void test_active_sets(void) {
  fill_sync();
  shmem_barrier_all();
  strided_sets(), uneven_collects(), all_to_all(), reductions();
}
