/* A program written for Global Arrays: MPI for starting, GA for the rest. It is linked with GA as
   the distribution built it, and with our libarmci in the place of the one that GA was built with.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

int me, nproc;
static int wrong;

void expected(int so, const char* what, const char* file, int line) {
  if (so) return;
  if (++wrong <= 5) fprintf(stderr, "%d: %s:%d: not so: %s\n", me, file, line, what);
}

double value(const int* at, int ndim) {
  double sum = 1;
  for (int d = 0; d < ndim; ++d) sum = sum * 11 + at[d];
  return sum - 1000 * (long)(sum / 1000) + 1;
}

int box_elements(const int* lo, const int* hi, int ndim) {
  int elements = 1;
  for (int d = 0; d < ndim; ++d) elements *= hi[d] - lo[d] + 1;
  return elements;
}

int next_in_box(int* at, const int* lo, const int* hi, int ndim) {
  for (int d = ndim - 1; d >= 0; --d) {
    if (++at[d] <= hi[d]) return 1;
    at[d] = lo[d];
  }
  return 0;
}

void fill_box(double* buffer, const int* lo, const int* hi, int ndim) {
  int at[dims_max];
  memcpy(at, lo, sizeof(int) * (size_t)ndim);
  do *buffer++ = value(at, ndim);
  while (next_in_box(at, lo, hi, ndim));
}

void leading(int* ld, const int* lo, const int* hi, int ndim) {
  for (int d = 1; d < ndim; ++d) ld[d - 1] = hi[d] - lo[d] + 1;
}

int filled_array(const char* name, int ndim, int* dims) {
  static double buffer[elements_max];
  const int array = NGA_Create(C_DBL, ndim, dims, (char*)name, NULL);
  EXPECT(array != 0);
  GA_Zero(array);
  for (int row = me; row < dims[0]; row += nproc) {
    int lo[dims_max] = {0}, hi[dims_max], ld[dims_max];
    for (int d = 0; d < ndim; ++d) hi[d] = dims[d] - 1;
    lo[0] = hi[0] = row;
    fill_box(buffer, lo, hi, ndim);
    leading(ld, lo, hi, ndim);
    NGA_Put(array, lo, hi, buffer, ld);
  }
  GA_Sync();
  return array;
}

void expect_all(int array, int ndim, const int* dims, double scale, double shift) {
  static double buffer[elements_max];
  int lo[dims_max] = {0}, hi[dims_max], ld[dims_max], at[dims_max] = {0};
  for (int d = 0; d < ndim; ++d) hi[d] = dims[d] - 1;
  leading(ld, lo, hi, ndim);
  NGA_Get(array, lo, hi, buffer, ld);
  int i = 0, good = 1;
  do good = good && buffer[i++] == scale * value(at, ndim) + shift;
  while (next_in_box(at, lo, hi, ndim));
  EXPECT(good);
  GA_Sync();
}

static void run(const char* name, void (*test)(void)) {
  const int before = wrong;
  test();
  GA_Sync();
  int failed = wrong - before;
  GA_Igop(&failed, 1, "+");
  if (me == 0) printf("%-20s %s\n", name, failed == 0 ? "all right" : "WRONG");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  me = GA_Nodeid();
  nproc = GA_Nnodes();
  MA_init(MT_DBL, 4000000, 4000000);
  run("dimensions", test_dimensions);
  run("types", test_types);
  run("elements", test_elements);
  run("counters and locks", test_counters_and_locks);
  run("periodic", test_periodic);
  run("ghosts", test_ghosts);
  run("patches", test_patches);
  run("irregular", test_irregular);
  run("algebra", test_algebra);
  run("groups", test_groups);
  run("nonblocking", test_nonblocking);
  GA_Igop(&wrong, 1, "+");
  if (me == 0) printf(wrong == 0 ? "everything is right\n" : "%d things are wrong\n", wrong);
  GA_Terminate();
  MPI_Finalize();
  return wrong != 0;
}
