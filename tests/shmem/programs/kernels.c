/* Kernels that programs of others are made of: a stencil with halos, a transpose, a pipelined wave
   of rows, random updates, a triad, a sort by keys, a queue of tasks. Each is compared with what it
   must give. */
#include "expect.h"

static void* zeroed(size_t count, size_t bytes) {
  void* const block = shmem_calloc(count, bytes);
  if (block == NULL) shmem_global_exit(9);
  return block;
}

/* Rows are spread; the neighbours' edges come by put, and a counter of each side says that they are
 * there. */
static void stencil(int columns, int rows, int steps) {
  const size_t line = (size_t)columns;
  double* const in = zeroed(line * (size_t)(rows + 2), sizeof *in);
  double* const out = zeroed(line * (size_t)rows, sizeof *out);
  static int from_above, from_below, taken_above, taken_below;
  from_above = from_below = taken_above = taken_below = 0;
  const int above = me - 1, below = me + 1;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) in[(size_t)(y + 1) * line + (size_t)x] = x + me * rows + y;
  shmem_barrier_all();
  for (int step = 1; step <= steps; ++step) {
    /* A neighbour has used what was put before. */
    if (above >= 0) shmem_int_wait_until(&taken_above, SHMEM_CMP_GE, step - 1);
    if (below < pes) shmem_int_wait_until(&taken_below, SHMEM_CMP_GE, step - 1);
    if (above >= 0) shmem_double_put(in + (size_t)(rows + 1) * line, in + line, line, above);
    if (below < pes) shmem_double_put(in, in + (size_t)rows * line, line, below);
    shmem_fence();
    if (above >= 0) shmem_int_p(&from_below, step, above);
    if (below < pes) shmem_int_p(&from_above, step, below);
    if (above >= 0) shmem_int_wait_until(&from_above, SHMEM_CMP_EQ, step);
    if (below < pes) shmem_int_wait_until(&from_below, SHMEM_CMP_EQ, step);
    for (int y = 1; y <= rows; ++y)
      for (int x = 1; x + 1 < columns; ++x) {
        if ((me == 0 && y == 1) || (me == pes - 1 && y == rows)) continue;
        const size_t at = (size_t)y * line + (size_t)x;
        out[at - line] += 0.25 * (in[at + 1] - in[at - 1] + in[at + line] - in[at - line]);
      }
    if (above >= 0) shmem_int_p(&taken_below, step, above);
    if (below < pes) shmem_int_p(&taken_above, step, below);
    shmem_quiet();
    for (size_t i = 0; i < line * (size_t)rows; ++i) in[line + i] += 1;
  }
  int good = 1;
  for (int y = 0; y < rows; ++y)
    for (int x = 1; x + 1 < columns; ++x) {
      const int is_edge = (me == 0 && y == 0) || (me == pes - 1 && y == rows - 1);
      good &= out[(size_t)y * line + (size_t)x] == (is_edge ? 0 : steps);
    }
  EXPECT(good);
  shmem_barrier_all();
  shmem_free(out), shmem_free(in);
}

/* Each has some columns; blocks are transposed here and go there by get, by put, and by all to all.
 */
static void transpose(int block) {
  const size_t order = (size_t)block * (size_t)pes, part = (size_t)block * (size_t)block;
  double* const a = zeroed(order * (size_t)block, sizeof *a);
  double* const b = zeroed(order * (size_t)block, sizeof *b);
  double* const work = zeroed(order * (size_t)block, sizeof *work);
  for (int way = 0; way < 3; ++way) {
    for (size_t j = 0; j < (size_t)block; ++j)
      for (size_t i = 0; i < order; ++i)
        a[j * order + i] = (double)(order * ((size_t)me * (size_t)block + j) + i);
    for (int k = 0; k < pes; ++k)
      for (size_t j = 0; j < (size_t)block; ++j)
        for (size_t i = 0; i < (size_t)block; ++i)
          work[(size_t)k * part + i * (size_t)block + j] =
              a[j * order + (size_t)k * (size_t)block + i];
    shmem_barrier_all();
    double* const parts = zeroed(order * (size_t)block, sizeof *parts);
    if (way == 0)
      for (int k = 0; k < pes; ++k)
        shmem_double_get(parts + (size_t)k * part, work + (size_t)me * part, part, k);
    if (way == 1)
      for (int k = 0; k < pes; ++k)
        shmem_putmem_nbi(parts + (size_t)me * part, work + (size_t)k * part, part * 8, k);
    if (way == 2) shmem_double_alltoall(SHMEM_TEAM_WORLD, parts, work, part);
    shmem_barrier_all();
    for (int k = 0; k < pes; ++k)
      for (size_t j = 0; j < (size_t)block; ++j)
        shmem_double_iput(b + j * order + (size_t)k * (size_t)block,
                          parts + (size_t)k * part + j * (size_t)block, 1, 1, (size_t)block, me);
    shmem_quiet();
    int good = 1;
    for (size_t j = 0; j < (size_t)block; ++j)
      for (size_t i = 0; i < order; ++i)
        good &= b[j * order + i] == (double)(order * i + (size_t)me * (size_t)block + j);
    EXPECT(good);
    shmem_barrier_all();
    shmem_free(parts);
  }
  shmem_free(work), shmem_free(b), shmem_free(a);
}

/* A wave goes through rows of which each PE has some columns. */
static void wave(int columns, int rows, int times) {
  double* const grid = zeroed((size_t)(columns + 1) * (size_t)rows, sizeof *grid);
  uint64_t* const arrived = zeroed((size_t)rows, sizeof *arrived);
  static double corner;
  corner = 0;
  const size_t line = (size_t)columns + 1;
  if (me == 0)
    for (int y = 0; y < rows; ++y) grid[(size_t)y * line] = y;
  for (int x = 0; x < columns + 1; ++x) grid[x] = me * columns + x;
  shmem_barrier_all();
  for (int time = 1; time <= times; ++time) {
    for (int y = 1; y < rows; ++y) {
      double* const row = grid + (size_t)y * line;
      if (me > 0) shmem_signal_wait_until(arrived + y, SHMEM_CMP_EQ, (uint64_t)time);
      for (int x = 1; x <= columns; ++x)
        row[x] = row[x - (ptrdiff_t)line] + row[x - 1] - row[x - (ptrdiff_t)line - 1];
      if (me < pes - 1)
        shmem_double_put_signal(row, row + columns, 1, arrived + y, (uint64_t)time,
                                SHMEM_SIGNAL_SET, me + 1);
    }
    /* The corner goes back to the beginning. */
    if (me == pes - 1) shmem_double_p(&corner, -grid[line * (size_t)rows - 1], 0);
    shmem_barrier_all();
    if (me == 0) grid[0] = corner;
  }
  const double wanted = (double)times * (pes * columns + rows - 1);
  if (me == pes - 1) EXPECT(grid[line * (size_t)rows - 1] == wanted);
  shmem_barrier_all();
  shmem_free(arrived), shmem_free(grid);
}

/* Updates of words that anybody has, twice: then all are as before. */
static void random_updates(int log_words, int updates) {
  const uint64_t words = (uint64_t)1 << log_words;
  uint64_t* const table = zeroed((size_t)words, sizeof *table);
  for (uint64_t i = 0; i < words; ++i) table[i] = (uint64_t)me * words + i;
  shmem_barrier_all();
  for (int pass = 0; pass < 2; ++pass) {
    uint64_t state = (uint64_t)88172645463325252 + (uint64_t)me;
    for (int i = 0; i < updates; ++i) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      const uint64_t at = state % (words * (uint64_t)pes);
      shmem_uint64_atomic_xor(table + at % words, state, (int)(at / words));
    }
    shmem_barrier_all();
  }
  int good = 1;
  for (uint64_t i = 0; i < words; ++i) good &= table[i] == (uint64_t)me * words + i;
  EXPECT(good);
  shmem_free(table);
}

static void triad(size_t length) {
  double* const a = zeroed(length, sizeof *a);
  double* const b = zeroed(length, sizeof *b);
  double* const c = zeroed(length, sizeof *c);
  double* const sums = zeroed(2, sizeof *sums);
  for (size_t i = 0; i < length; ++i) b[i] = 2, c[i] = 2;
  for (int step = 0; step < 3; ++step)
    for (size_t i = 0; i < length; ++i) a[i] += b[i] + 3.0 * c[i];
  for (size_t i = 0; i < length; ++i) sums[0] += a[i];
  shmem_barrier_all();
  shmem_double_sum_reduce(SHMEM_TEAM_WORLD, sums + 1, sums, 1);
  EXPECT(sums[1] == 24.0 * (double)length * pes);
  shmem_free(sums), shmem_free(c), shmem_free(b), shmem_free(a);
}

/* Keys go to the PE that has their range; places are drawn by fetch_add, and counts by all to all.
 */
static void sort_keys(int keys) {
  int* const mine = zeroed((size_t)keys, sizeof *mine);
  int* const bucket = zeroed((size_t)keys * (size_t)pes, sizeof *bucket);
  long* const used = zeroed(1, sizeof *used);
  long* const counts = zeroed((size_t)pes, sizeof *counts);
  long* const all_counts = zeroed((size_t)pes, sizeof *all_counts);
  const int range = 1000;
  unsigned seed = 17u * (unsigned)me + 3u;
  for (int i = 0; i < keys; ++i)
    seed = seed * 1103515245u + 12345u, mine[i] = (int)(seed >> 8) % (range * pes);
  shmem_barrier_all();
  for (int pe = 0; pe < pes; ++pe) {
    int sent[4096], n = 0;
    for (int i = 0; i < keys && n < 4096; ++i)
      if (mine[i] / range == pe) sent[n++] = mine[i];
    counts[pe] = n;
    const long at = shmem_long_atomic_fetch_add(used, n, pe);
    shmem_int_put(bucket + at, sent, (size_t)n, pe);
  }
  shmem_barrier_all();
  shmem_long_alltoall(SHMEM_TEAM_WORLD, all_counts, counts, 1);
  long wanted = 0;
  for (int pe = 0; pe < pes; ++pe) wanted += all_counts[pe];
  int good = *used == wanted;
  for (long i = 0; i < *used; ++i) good &= bucket[i] / range == me;
  EXPECT(good);
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, all_counts, used, 1);
  EXPECT(all_counts[0] == (long)keys * pes);
  shmem_barrier_all();
  shmem_free(all_counts), shmem_free(counts), shmem_free(used), shmem_free(bucket),
      shmem_free(mine);
}

/* Tasks are drawn under a lock, and with compare and swap; each is done once. */
static void tasks(int count) {
  static long lock;
  static int next_task;
  next_task = 0;
  int* const done = zeroed((size_t)count, sizeof *done);
  shmem_barrier_all();
  for (;;) {
    int task;
    if (me % 2 == 0) {
      shmem_set_lock(&lock);
      task = shmem_int_g(&next_task, 0);
      const int drawn =
          task < count && shmem_int_atomic_compare_swap(&next_task, task, task + 1, 0) == task;
      shmem_clear_lock(&lock);
      if (task < count && !drawn) continue;
    } else {
      task = shmem_int_atomic_fetch_inc(&next_task, 0);
    }
    if (task >= count) break;
    shmem_int_atomic_inc(done + task, task % pes);
  }
  shmem_barrier_all();
  int good = 1;
  for (int i = 0; i < count; ++i) good &= done[i] == (i % pes == me);
  EXPECT(good);
  shmem_barrier_all();
  shmem_free(done);
}

void test_kernels(void) {
  stencil(40, 8, 10), transpose(12), wave(30, 20, 4), random_updates(10, 500), triad(5000);
  sort_keys(2000), tasks(100);
}
