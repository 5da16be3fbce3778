#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include "check.h"
}

#include "generic_forms.h"

namespace {

#ifdef __GNUC__
// C's complex numbers in C++, by the routines' names and as overloads.
void c_complex_numbers() {
  const int pes = shmem_n_pes();
  auto* const mine = static_cast<shmem_c_complexd_t*>(fresh(sizeof(shmem_c_complexd_t)));
  auto* const sum = static_cast<shmem_c_complexd_t*>(fresh(sizeof(shmem_c_complexd_t)));
  auto* const work = static_cast<shmem_c_complexd_t*>(fresh(sizeof(shmem_c_complexd_t)));
  auto* const sync = static_cast<long*>(fresh(SHMEM_REDUCE_SYNC_SIZE * sizeof(long)));
  __real__* mine = 2;
  __imag__* mine = shmem_my_pe();
  shmem_complexd_sum_to_all(sum, mine, 1, 0, 0, pes, work, sync);
  CHECK(__real__ * sum == 2 * pes && __imag__ * sum == pes * (pes - 1) / 2);
  shmem_barrier_all();
  *sum = 0;
  CHECK(shmem_sum_reduce(SHMEM_TEAM_WORLD, sum, mine, 1) == 0);
  CHECK(__real__ * sum == 2 * pes && __imag__ * sum == pes * (pes - 1) / 2);
  shmem_barrier_all();
}
#else
void c_complex_numbers() {}
#endif

}  // namespace

extern "C" void test_generics_of_cpp(void) {
  generic_forms();
  c_complex_numbers();
}
