/* Jacobi iteration on a square with an MPI library, as examples/jacobi has it: each process owns
 * some rows, the outer ones of which go to its neighbours after every step. Prints the seconds.
 *
 *   mpicc -O3 jacobi.c -o jacobi -lm
 *   mpirun -n 2 ./jacobi 1000 200
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int me, processes, n, width, first, rows;
static double* grids[2];

static double* row(int step, int i) { return grids[step % 2] + (size_t)i * width; }

static void exchange(int step) {
  const int above = me > 0 ? me - 1 : MPI_PROC_NULL;
  const int below = me + 1 < processes ? me + 1 : MPI_PROC_NULL;
  MPI_Request pending[4];
  MPI_Irecv(row(step, 0), width, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &pending[0]);
  MPI_Irecv(row(step, rows + 1), width, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &pending[1]);
  MPI_Isend(row(step, 1), width, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &pending[2]);
  MPI_Isend(row(step, rows), width, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &pending[3]);
  MPI_Waitall(4, pending, MPI_STATUSES_IGNORE);
}

static double iterate(int step) {
  double change = 0;
  for (int i = 1; i <= rows; ++i) {
    const double *up = row(step, i - 1), *here = row(step, i), *down = row(step, i + 1);
    double* next = row(step + 1, i);
    for (int j = 1; j + 1 < width; ++j) {
      next[j] = 0.25 * (up[j] + down[j] + here[j - 1] + here[j + 1]);
      const double by = fabs(next[j] - here[j]);
      change = by > change ? by : change;
    }
  }
  return change;
}

/* The lowest wave, which a step multiplies by cos(h). */
static double exact(int steps, int i, int j) {
  const double h = acos(-1.0) / (n + 1);
  return pow(cos(h), steps) * sin(h * (first + i - 1)) * sin(h * j);
}

static double error(int steps) {
  double most = 0;
  for (int i = 1; i <= rows; ++i)
    for (int j = 0; j < width; ++j) {
      const double by = fabs(row(steps, i)[j] - exact(steps, i, j));
      most = by > most || isnan(by) ? by : most;
    }
  return most;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  n = argc > 1 ? atoi(argv[1]) : 1000;
  const int steps = argc > 2 ? atoi(argv[2]) : 200;
  if (n < processes || steps < 1) MPI_Abort(MPI_COMM_WORLD, 2);
  width = n + 2;
  first = 1 + (int)((long)n * me / processes);
  rows = 1 + (int)((long)n * (me + 1) / processes) - first;
  for (int g = 0; g < 2; ++g) {
    grids[g] = calloc((size_t)(rows + 2) * (size_t)width, sizeof(double));
    if (grids[g] == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 1; i <= rows; ++i)
    for (int j = 0; j < width; ++j) row(0, i)[j] = exact(0, i, j);

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  double change = 0;
  for (int step = 0; step < steps; ++step) {
    exchange(step);
    change = iterate(step);
    if (step % 100 == 99 || step + 1 == steps)
      MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  const double seconds = MPI_Wtime() - start;
  double off = error(steps);
  MPI_Allreduce(MPI_IN_PLACE, &off, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (me == 0)
    printf("%d x %d points, %d processes, %d steps: seconds %.4f, last change %.2e, error %.1e\n",
           n, n, processes, steps, seconds, change, off);
  MPI_Finalize();
  return off < 1e-10 ? 0 : 1;
}
