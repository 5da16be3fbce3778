/* The copies of `armature bench arrays` with an MPI library: a matrix of whole rows becomes one of
 * whole columns, by MPI_Alltoallw with types, and by MPI_Alltoallv with packing. Writes lines that
 * its option --peers takes.
 *
 *   mpicc -O3 arrays.c -o arrays
 *   mpirun -n 2 ./arrays openmpi >> peers.tsv
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ranks, me, n, width;
static const char* library;
static double *rows, *columns, *packed;
static int *counts, *places, *bytes_before_rows, *bytes_before_columns, *ones;
static MPI_Datatype *of_rows, *of_columns;

static void by_types(void) {
  MPI_Alltoallw(rows, ones, bytes_before_rows, of_rows, columns, ones, bytes_before_columns,
                of_columns, MPI_COMM_WORLD);
}

/* Pieces arrive where they belong, since the rows of others follow each other. */
static void by_packing(void) {
  for (int to = 0; to < ranks; ++to)
    for (int i = 0; i < width; ++i)
      memcpy(packed + ((size_t)to * width + i) * width, rows + (size_t)i * n + (size_t)to * width,
             (size_t)width * sizeof(double));
  MPI_Alltoallv(packed, counts, places, MPI_DOUBLE, columns, counts, places, MPI_DOUBLE,
                MPI_COMM_WORLD);
}

static double batch_ns(void (*call)(void), int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < calls; ++i) call();
  MPI_Barrier(MPI_COMM_WORLD);
  return (MPI_Wtime() - start) * 1e9 / calls;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void row(const char* way, void (*call)(void)) {
  memset(columns, 0, (size_t)width * n * sizeof(double));
  const double once_ns = batch_ns(call, 2);
  for (size_t i = 0; i < (size_t)width * n; ++i)
    if (columns[i] != 1) MPI_Abort(MPI_COMM_WORLD, 1);
  int calls = (int)(2e7 / once_ns);
  if (calls < 2) calls = 2;
  MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
  double ns[15];
  for (int i = 0; i < 15; ++i) ns[i] = batch_ns(call, calls);
  qsort(ns, 15, sizeof *ns, ascending);
  if (me != 0) return;
  printf("%s.%s\tremap.p%d\t%zu\t%.1f\n", library, way, ranks, (size_t)n * n * sizeof(double),
         ns[7]);
  fflush(stdout);
}

static void* memory(size_t count, size_t bytes) {
  void* const place = calloc(count, bytes);
  if (place == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return place;
}

static void prepare(void) {
  const int block[] = {width, width}, origin[] = {0, 0};
  const int of_a_row[] = {width, n}, of_a_column[] = {n, width};
  const size_t elements = (size_t)width * n;
  rows = memory(elements, sizeof *rows);
  columns = memory(elements, sizeof *columns);
  packed = memory(elements, sizeof *packed);
  for (size_t i = 0; i < elements; ++i) rows[i] = 1;
  for (int r = 0; r < ranks; ++r) {
    counts[r] = width * width;
    places[r] = r * width * width;
    ones[r] = 1;
    bytes_before_rows[r] = (int)(r * width * sizeof(double));
    bytes_before_columns[r] = (int)((size_t)r * width * width * sizeof(double));
    MPI_Type_create_subarray(2, of_a_row, block, origin, MPI_ORDER_C, MPI_DOUBLE, of_rows + r);
    MPI_Type_create_subarray(2, of_a_column, block, origin, MPI_ORDER_C, MPI_DOUBLE,
                             of_columns + r);
    MPI_Type_commit(of_rows + r);
    MPI_Type_commit(of_columns + r);
  }
}

static void forget(void) {
  for (int r = 0; r < ranks; ++r) {
    MPI_Type_free(of_rows + r);
    MPI_Type_free(of_columns + r);
  }
  free(rows);
  free(columns);
  free(packed);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  library = argc > 1 ? argv[1] : "mpi";
  counts = memory((size_t)ranks, sizeof *counts);
  places = memory((size_t)ranks, sizeof *places);
  ones = memory((size_t)ranks, sizeof *ones);
  bytes_before_rows = memory((size_t)ranks, sizeof *bytes_before_rows);
  bytes_before_columns = memory((size_t)ranks, sizeof *bytes_before_columns);
  of_rows = memory((size_t)ranks, sizeof *of_rows);
  of_columns = memory((size_t)ranks, sizeof *of_columns);
  for (n = 128; n <= 4096; n *= 2) {
    width = n / ranks;
    prepare();
    row("alltoallw", by_types);
    row("alltoallv", by_packing);
    forget();
  }
  MPI_Finalize();
  return 0;
}
