/* A program's file that knows of no profiler: optimized, it has atomics and signals inlined. */
#include <shmem.h>

void add_to_next(long* word, int times);

void add_to_next(long* word, int times) {
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int i = 0; i < times; ++i) shmem_long_atomic_fetch_add(word, 1, next);
}

void tell_next(long* word, uint64_t* arrived, int times);

void tell_next(long* word, uint64_t* arrived, int times) {
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  const long one = 1;
  for (int i = 0; i < times; ++i)
    shmem_long_put_signal(word, &one, 1, arrived, 1, SHMEM_SIGNAL_ADD, next);
  shmem_signal_wait_until(arrived, SHMEM_CMP_GE, (uint64_t)times);
}
