/* The rows of `armature bench arrays` with Global Arrays. Writes lines that its option --peers
 * takes.
 *
 *   ga=$(dirname $(gcc -print-file-name=libga-openmpi.a))/ga/openmpi/bin/ga-config
 *   libs="$($ga --ldflags) $($ga --libs) -lgfortran -lm"
 *   mpicc.openmpi -O3 global_arrays.c -o global_arrays $libs
 *   mpirun.openmpi -n 2 ./global_arrays ga.openmpi >> peers.tsv
 *
 * A number behind the name is the largest matrix that is multiplied and transposed.
 */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { cube_width = 128, patch_rows = 1024, batches = 15 };

static int ranks, me, longest = 4096;
static const char* library;

static int create(int dimensions, int* extents, int* chunk, int type) {
  const int array = NGA_Create(type, dimensions, extents, "array", chunk);
  if (array == 0) MPI_Abort(MPI_COMM_WORLD, 1);
  return array;
}
static int matrix_of_rows(int n) {
  int extents[] = {n, n}, chunk[] = {n / ranks, n};
  const int matrix = create(2, extents, chunk, C_DBL);
  double one = 1;
  GA_Fill(matrix, &one);
  return matrix;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double batch_ns(void (*call)(void), int calls, int is_together) {
  GA_Sync();
  const double start = MPI_Wtime();
  if (is_together || me == 0)
    for (int i = 0; i < calls; ++i) call();
  const double ns = (MPI_Wtime() - start) * 1e9 / calls;
  GA_Sync();
  return ns;
}

/* A row of what all processes do, or of what process 0 does while the others wait in a barrier. */
static void row(const char* op, size_t bytes, void (*call)(void), int is_together) {
  double once_ns = batch_ns(call, 1, is_together);
  once_ns = batch_ns(call, 2, is_together);
  /* Both make as many batches of as many calls. */
  MPI_Bcast(&once_ns, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  int calls = (int)(2e7 / once_ns);
  if (calls < 1) calls = 1;
  const int count = once_ns > 5e8 ? 3 : batches;
  double ns[batches];
  for (int i = 0; i < count; ++i) ns[i] = batch_ns(call, calls, is_together);
  qsort(ns, (size_t)count, sizeof *ns, ascending);
  if (me != 0) return;
  printf("%s\t%s.p%d\t%zu\t%.1f\n", library, op, ranks, bytes, ns[count / 2]);
  fflush(stdout);
}

static int one, other, result;
static int low[2], high[2], width[1];
static double* buffer;

static void construct(void) {
  int extents[] = {one, one}, chunk[] = {-1, -1};
  const int array = create(2, extents, chunk, C_DBL);
  GA_Zero(array); /* ours have zeros from the start */
  GA_Destroy(array);
}
static void put(void) {
  GA_Init_fence();
  NGA_Put(one, low, high, buffer, width);
  GA_Fence();
}
static void get(void) { NGA_Get(one, low, high, buffer, width); }
static void accumulate(void) {
  double factor = 0.5;
  GA_Init_fence();
  NGA_Acc(one, low, high, buffer, width, &factor);
  GA_Fence();
}
static void exchange(void) { GA_Update_ghosts(one); }
static void multiply(void) {
  GA_Dgemm('n', 'n', width[0], width[0], width[0], 1.0, one, other, 0.0, result);
}
static void transpose(void) { GA_Transpose(one, other); }
static void increment(void) {
  int at[] = {8};
  (void)NGA_Read_inc(one, at, 1);
}

static void construct_rows(void) {
  for (one = 64; one <= 1024; one *= 4)
    row("construct", (size_t)one * one * sizeof(double), construct, 1);
}

/* Patches of the block of process 1, and one of which each has half. */
static void patch_rows_of(const char* op, void (*call)(void)) {
  for (int n = 8; n <= 512; n *= 8) {
    char name[64];
    low[0] = patch_rows;
    low[1] = 0;
    high[0] = low[0] + n - 1;
    high[1] = n - 1;
    width[0] = n;
    snprintf(name, sizeof name, "patch.%s", op);
    row(name, (size_t)n * n * sizeof(double), call, 0);
    low[0] -= n / 2;
    high[0] -= n / 2;
    snprintf(name, sizeof name, "patch.%s.of2", op);
    row(name, (size_t)n * n * sizeof(double), call, 0);
  }
}
static void all_patch_rows(void) {
  int extents[] = {2 * patch_rows, patch_rows}, chunk[] = {patch_rows, patch_rows};
  one = create(2, extents, chunk, C_DBL);
  GA_Zero(one);
  patch_rows_of("put", put);
  patch_rows_of("get", get);
  patch_rows_of("acc", accumulate);
  GA_Destroy(one);
}

static void ghost_row(void) {
  int extents[] = {2 * cube_width, cube_width, cube_width}, ghosts[] = {1, 1, 1};
  int chunk[] = {cube_width, cube_width, cube_width};
  double x = 1;
  one = NGA_Create_ghosts(C_DBL, 3, extents, ghosts, "cube", chunk);
  GA_Set_ghost_corner_flag(one, 0);
  GA_Fill(one, &x);
  row("ghosts", (size_t)6 * cube_width * cube_width * sizeof(double), exchange, 1);
  GA_Destroy(one);
}

static void matrix_rows(void) {
  for (int n = 128; n <= longest; n *= 2) {
    const size_t bytes = (size_t)n * n * sizeof(double);
    one = matrix_of_rows(n);
    other = matrix_of_rows(n);
    row("transpose.alike", bytes, transpose, 1);
    if (n == 2048) {
      result = matrix_of_rows(n);
      width[0] = n;
      row("multiply", bytes, multiply, 1);
      GA_Destroy(result);
    }
    GA_Destroy(one);
    GA_Destroy(other);
  }
}

static void increment_row(void) {
  int extents[] = {16}, chunk[] = {8};
  one = create(1, extents, chunk, C_LONG);
  GA_Zero(one);
  row("read_increment", sizeof(long), increment, 0);
  GA_Destroy(one);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  MA_init(C_DBL, 1 << 24, 1 << 20);
  ranks = GA_Nnodes();
  me = GA_Nodeid();
  library = argc > 1 ? argv[1] : "ga";
  if (argc > 2) longest = atoi(argv[2]);
  buffer = calloc((size_t)patch_rows * patch_rows, sizeof *buffer);
  if (buffer == NULL || ranks != 2) MPI_Abort(MPI_COMM_WORLD, 1);
  construct_rows();
  all_patch_rows();
  increment_row();
  ghost_row();
  matrix_rows();
  free(buffer);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
