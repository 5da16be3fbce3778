/* Programs as others write them for OpenSHMEM. Their variables are static, since these are
 * symmetric. */
#include "expect.h"

int me, pes, next, previous;
static int failures;

void expect(int holds, const char* what, const char* file, int line) {
  if (holds) return;
  ++failures;
  printf("PE %d of %d, %s:%d: %s\n", me, pes, file, line, what);
  fflush(stdout);
}

int main(void) {
  start_pes(0);
  me = _my_pe(), pes = _num_pes(), next = (me + 1) % pes, previous = (me + pes - 1) % pes;
  test_active_sets();
  test_corners();
  test_teams();
  test_kernels();
  static int here, all;
  here = failures;
  shmem_barrier_all();
  shmem_int_sum_reduce(SHMEM_TEAM_WORLD, &all, &here, 1);
  if (me == 0 && all == 0) printf("all programs are right with %d PEs\n", pes);
  /* The end of a PE ends the library. */
  return all == 0 ? 0 : 1;
}
