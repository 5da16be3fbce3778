/* Sizes and timing that papers/transfers.c and bench/peers/messages.c share: what they print stands
 * side by side. In C, since MPI libraries' own commands compile the latter. */
#ifndef ARMATURE_BENCH_PEERS_TIMING_H
#define ARMATURE_BENCH_PEERS_TIMING_H

#include <stdlib.h>

/* Transfers in a window; bytes of the longest; doubles in a row of the matrix; elements of the
 * longest vector, of each STEP one. */
enum { WINDOW = 8, LONGEST = 1 << 20, SIDE = 512, COUNT_MAX = 1000, STEP = 3 };
enum { BATCHES = 7, LOOKS = 41 };

static inline int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static inline double middle(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return values[count / 2];
}

/* Calls of a batch of some 8 ms, where one takes so long: short enough for many rows, long enough
 * that a turn of another program is not all. */
static inline int calls_of_batch(double once_ns) {
  const double calls = 8e6 / (once_ns > 1 ? once_ns : 1);
  return calls < 2 ? 2 : (int)calls;
}

static inline void compute(double seconds, double (*clock_s)(void)) {
  static volatile double sink;
  const double until = clock_s() + seconds;
  while (clock_s() < until)
    for (int i = 0; i < 100; ++i) sink = sink + 1;
}

#endif
