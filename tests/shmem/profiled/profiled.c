/* A profiler's definition takes the place of a routine, and calls the twin. That holds for a
   routine that another file has inlined, too. */
#include <pshmem.h>
#include <stdio.h>

#include <mpp/shmemx.h>

static long calls;
static long additions;
static long signals;
static long waits;

void add_to_next(long* word, int times); /* callers.c */
void tell_next(long* word, uint64_t* arrived, int times);

void shmem_long_p(long* dest, long value, int pe) {
  ++calls;
  pshmem_long_p(dest, value, pe);
}

long shmem_long_atomic_fetch_add(long* dest, long value, int pe) {
  ++additions;
  return pshmem_long_atomic_fetch_add(dest, value, pe);
}

void shmem_long_put_signal(long* dest, const long* source, size_t nelems, uint64_t* sig_addr,
                           uint64_t signal, int sig_op, int pe) {
  ++signals;
  pshmem_long_put_signal(dest, source, nelems, sig_addr, signal, sig_op, pe);
}

uint64_t shmem_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t cmp_value) {
  ++waits;
  return pshmem_signal_wait_until(sig_addr, cmp, cmp_value);
}

int main(void) {
  shmem_init();
  shmem_pcontrol(1);
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  long* word = shmem_calloc(1, sizeof(long));
  for (long i = 1; i <= 3; ++i) shmem_long_p(word, 10 * me + i, (me + 1) % pes);
  shmem_barrier_all();
  const long expected = 10 * ((me + pes - 1) % pes) + 3;
  if (calls != 3 || *word != expected) {
    fprintf(stderr, "PE %d: %ld calls, the word is %ld, and should be %ld\n", me, calls, *word,
            expected);
    shmem_global_exit(3);
  }
  shmem_barrier_all();
  add_to_next(word, 5);
  shmem_barrier_all();
  if (additions != 5 || *word != expected + 5) {
    fprintf(stderr, "PE %d: %ld additions, the word is %ld, and should be %ld\n", me, additions,
            *word, expected + 5);
    shmem_global_exit(4);
  }
  uint64_t* arrived = shmem_calloc(1, sizeof *arrived);
  tell_next(word, arrived, 3);
  if (signals != 3 || waits != 1 || *word != 1) {
    fprintf(stderr, "PE %d: %ld signals, %ld waits, the word is %ld, and should be 1\n", me,
            signals, waits, *word);
    shmem_global_exit(5);
  }
  shmem_barrier_all();
  shmem_free(arrived);
  shmem_free(word);
  shmem_finalize();
  return 0;
}
