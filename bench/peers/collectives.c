/* Every collective call of an MPI library, measured as `armature bench collectives` measures its
 * own (../every_collective.cpp). Writes lines that its option --peers takes.
 *
 *   mpicc -O2 collectives.c -o collectives
 *   mpirun -n 8 ./collectives openmpi >> peers.tsv
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int ranks, me;
static const char* library;
static double *values, *from, *to;
static int value_count, block; /* doubles */

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void broadcast(void) { MPI_Bcast(values, value_count, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static void reduce(void) {
  if (me == 0)
    MPI_Reduce(MPI_IN_PLACE, values, value_count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  else
    MPI_Reduce(values, NULL, value_count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
}
static void allreduce(void) {
  MPI_Allreduce(MPI_IN_PLACE, values, value_count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}
static void scan(void) {
  MPI_Scan(MPI_IN_PLACE, values, value_count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}
static void scatter(void) {
  MPI_Scatter(from, block, MPI_DOUBLE, to, block, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static void gather(void) {
  MPI_Gather(from, block, MPI_DOUBLE, to, block, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static void allgather(void) {
  MPI_Allgather(from, block, MPI_DOUBLE, to, block, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void alltoall(void) {
  MPI_Alltoall(from, block, MPI_DOUBLE, to, block, MPI_DOUBLE, MPI_COMM_WORLD);
}

static double batch_ns(void (*call)(void), int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < calls; ++i) call();
  MPI_Barrier(MPI_COMM_WORLD);
  return (MPI_Wtime() - start) * 1e9 / calls;
}

static double clamped(double value, double min, double max) {
  return value < min ? min : value > max ? max : value;
}

static int of_root(double value) {
  int number = (int)value;
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return number;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void row(const char* op, size_t bytes, void (*call)(void)) {
  const double budget_ns = 6e8;
  const double once_ns = batch_ns(call, 2);
  const int calls = of_root(clamped(budget_ns / 25 / once_ns, 2, 1e5));
  const int batches = of_root(clamped(budget_ns / (calls * once_ns), 3, 25));
  double ns[25];
  for (int i = 0; i < batches; ++i) ns[i] = batch_ns(call, calls);
  qsort(ns, (size_t)batches, sizeof *ns, ascending);
  if (me != 0) return;
  printf("%s\t%s.p%d\t%zu\t%.1f\n", library, op, ranks, bytes, ns[batches / 2]);
  fflush(stdout);
}

static double* ones(int count) {
  double* const memory = malloc((size_t)count * sizeof *memory);
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < count; ++i) memory[i] = 1;
  return memory;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  library = argc > 1 ? argv[1] : "mpi";
  row("barrier", 0, barrier);
  const size_t sizes[] = {8, 65536, 1 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    const size_t bytes = sizes[i];
    value_count = (int)(bytes / sizeof(double));
    block = value_count / ranks > 0 ? value_count / ranks : 1;
    values = ones(value_count);
    from = ones(block * ranks);
    to = ones(block * ranks);
    row("broadcast", bytes, broadcast);
    row("reduce", bytes, reduce);
    row("allreduce", bytes, allreduce);
    row("scan", bytes, scan);
    row("scatter", bytes, scatter);
    row("gather", bytes, gather);
    row("allgather", bytes, allgather);
    row("alltoall", bytes, alltoall);
    free(values);
    free(from);
    free(to);
  }
  MPI_Finalize();
  return 0;
}
