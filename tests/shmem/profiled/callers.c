/* A program's file that knows of no profiler: optimized, it has atomics inlined. */
#include <shmem.h>

void add_to_next(long* word, int times);

void add_to_next(long* word, int times) {
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int i = 0; i < times; ++i) shmem_long_atomic_fetch_add(word, 1, next);
}
