/* How long the short routines take between two PEs of a node, beside an atomic of C itself. */
#include <shmem.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* The best of several rounds: others use the machine, too. */
#define TIME(NAME, CALL)                              \
  do {                                                \
    double best = 1e30;                               \
    for (int round = 0; round < 20; ++round) {        \
      const double begin = now_ns();                  \
      for (long i = 0; i < CALLS; ++i) CALL;          \
      const double each = (now_ns() - begin) / CALLS; \
      if (each < best) best = each;                   \
    }                                                 \
    printf("%-24s %8.2f ns\n", NAME, best);           \
  } while (0)

enum { CALLS = 200000 };

int main(void) {
  shmem_init();
  long* word = shmem_calloc(2, sizeof(long));
  const int other = shmem_n_pes() - 1;
  if (shmem_my_pe() == 0) {
    _Atomic long* direct = shmem_ptr(word + 1, other);
    long mine = 1;
    volatile long sink = 0;
    TIME("long_p", shmem_long_p(word, i, other));
    TIME("long_g", sink = shmem_long_g(word, other));
    TIME("putmem of 8 bytes", shmem_putmem(word, &mine, 8, other));
    TIME("getmem of 8 bytes", shmem_getmem(&mine, word, 8, other));
    TIME("long_put_nbi of 1", shmem_long_put_nbi(word, &mine, 1, other));
    TIME("long_atomic_fetch_add", sink = shmem_long_atomic_fetch_add(word, 1, other));
    if (direct != NULL) TIME("C's atomic_fetch_add", sink = atomic_fetch_add(direct, 1));
    TIME("quiet", shmem_quiet());
    (void)sink;
  }
  shmem_barrier_all();
  shmem_free(word);
  shmem_finalize();
  return 0;
}
