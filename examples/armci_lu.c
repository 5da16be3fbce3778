/* Blocked LU factorisation without pivoting in the C interface, with both ways to spread the matrix
   that ARMCI's lu.c and lu-block.c compare: block by block in turns (cyclic), so that all have work
   to the end, or in rectangles of neighbouring blocks (rectangles).

     armature run -n 4 build/bin/examples/armci_lu [n [block [cyclic|rectangles [whole|guided]]]]

   Whoever needs a block of another process gets it, and its owner takes no part. What a process
   knows of the matrix lies in variables of the file, as in a program for processes: linked with
   armci-virtual it runs on virtual ranks as it is. The factors are checked, and printed as one
   number which does not depend on who ran where.

   With a fourth word, virtual ranks write a checkpoint halfway (armature run --checkpoint DIR),
   from which the job can be restarted: of all their memory (whole), or without the rooms for blocks
   of others, which are fetched anew in each step (guided). */
#include <armci.h>
#include <armcix.h>
#include <math.h>
#include <message.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  int n, edge, blocks;              /* the matrix; a block; blocks along an edge */
  int grid_rows, grid_cols, cyclic; /* of the processes */
  int rows_each, cols_each;         /* blocks that a process has room for */
  int me, my_row, my_col;
  double** pieces;
  double *diagonal, *left, *above; /* blocks of others: one, and one for each block of an edge */
  const char* checkpoint;          /* "whole", "guided"; NULL: none */
} m;

/* Rows of doubles, ld apart. */
typedef struct {
  double* data;
  int ld, rows, cols;
} block;

static int smaller(int a, int b) { return a < b ? a : b; }
static int width(int i) { return smaller(m.edge, m.n - i * m.edge); }
static int row_of(int i) { return m.cyclic ? i % m.grid_rows : i / m.rows_each; }
static int col_of(int j) { return m.cyclic ? j % m.grid_cols : j / m.cols_each; }
static int owner(int i, int j) { return row_of(i) * m.grid_cols + col_of(j); }
static int is_mine(int i, int j) { return owner(i, j) == m.me; }

/* Finds the block: it lies by itself, or as a section of its owner's rectangle. */
static block at(int i, int j) {
  double* piece = m.pieces[owner(i, j)];
  const int row = m.cyclic ? i / m.grid_rows : i % m.rows_each;
  const int col = m.cyclic ? j / m.grid_cols : j % m.cols_each;
  const size_t edge = (size_t)m.edge, ld = m.cyclic ? edge : (size_t)m.cols_each * edge;
  const size_t place = m.cyclic ? ((size_t)row * (size_t)m.cols_each + (size_t)col) * edge * edge
                                : (size_t)row * edge * ld + (size_t)col * edge;
  return (block){piece + place, (int)ld, width(i), width(j)};
}

/* A block to be read: in place if it is mine, else a copy in `room`, good after ARMCI_WaitAll. */
static block fetch(int i, int j, double* room) {
  const block b = at(i, j);
  if (is_mine(i, j)) return b;
  int from[1] = {b.ld * (int)sizeof(double)}, to[1] = {b.cols * (int)sizeof(double)};
  int count[2] = {b.cols * (int)sizeof(double), b.rows};
  if (ARMCI_NbGetS(b.data, from, room, to, count, 1, owner(i, j), NULL) != 0)
    ARMCI_Error("a block cannot be fetched", i);
  return (block){room, b.cols, b.rows, b.cols};
}

static void subtract(double* restrict y, const double* restrict x, double factor, int count) {
  for (int j = 0; j < count; ++j) y[j] -= factor * x[j];
}

/* A = L U in place; the diagonal of L is 1. */
static void factor(block a) {
  for (int k = 0; k < a.rows; ++k)
    for (int i = k + 1; i < a.rows; ++i) {
      double* row = a.data + i * a.ld;
      row[k] /= a.data[k * a.ld + k];
      subtract(row + k + 1, a.data + k * a.ld + k + 1, row[k], a.cols - k - 1);
    }
}

/* A = A / U, for a block below the diagonal. */
static void divide_by_upper(block a, block u) {
  for (int i = 0; i < a.rows; ++i)
    for (int k = 0; k < a.cols; ++k) {
      double* row = a.data + i * a.ld;
      row[k] /= u.data[k * u.ld + k];
      subtract(row + k + 1, u.data + k * u.ld + k + 1, row[k], a.cols - k - 1);
    }
}

/* A = L \ A, for a block beside the diagonal. */
static void divide_by_lower(block a, block l) {
  for (int k = 0; k < a.rows; ++k)
    for (int i = k + 1; i < a.rows; ++i)
      subtract(a.data + i * a.ld, a.data + k * a.ld, l.data[i * l.ld + k], a.cols);
}

/* C = C - A B. */
static void subtract_product(block c, block a, block b) {
  for (int i = 0; i < c.rows; ++i)
    for (int k = 0; k < a.cols; ++k)
      subtract(c.data + i * c.ld, b.data + k * b.ld, a.data[i * a.ld + k], c.cols);
}

static void divide_perimeter(int k) {
  if (m.my_row != row_of(k) && m.my_col != col_of(k)) return;
  const block diagonal = fetch(k, k, m.diagonal);
  ARMCI_WaitAll();
  for (int i = k + 1; i < m.blocks; ++i) {
    if (is_mine(i, k)) divide_by_upper(at(i, k), diagonal);
    if (is_mine(k, i)) divide_by_lower(at(k, i), diagonal);
  }
}

static void update_interior(int k) {
  const size_t area = (size_t)m.edge * (size_t)m.edge, count = (size_t)m.blocks;
  block* left = calloc(2 * count, sizeof *left);
  if (left == NULL) ARMCI_Error("no memory for a list of blocks", m.blocks);
  block* above = left + count;
  for (int i = k + 1; i < m.blocks; ++i) {
    if (row_of(i) == m.my_row) left[i] = fetch(i, k, m.left + (size_t)i * area);
    if (col_of(i) == m.my_col) above[i] = fetch(k, i, m.above + (size_t)i * area);
  }
  ARMCI_WaitAll();
  for (int i = k + 1; i < m.blocks; ++i)
    for (int j = k + 1; j < m.blocks; ++j)
      if (is_mine(i, j)) subtract_product(at(i, j), left[i], above[j]);
  free(left);
}

static void need(int status, const char* problem) {
  if (status != 0) ARMCI_Error(problem, status);
}

/* Between two steps nobody needs a block of others. */
static void write_checkpoint(void) {
  const double start = armci_timer();
  const int status = ARMCIX_Checkpoint(NULL);
  if (status < 0) ARMCI_Error("the checkpoint cannot be written", status);
  if (m.me != 0) return;
  if (status == 1)
    printf("goes on from the checkpoint\n");
  else
    printf("checkpoint, %s: %.3f s\n", m.checkpoint, armci_timer() - start);
  fflush(stdout);
}

/* Finished blocks do not change any more, and the next diagonal block is updated and factored by
   one process: so two barriers a step are enough. */
static void factor_all(void) {
  ARMCI_Barrier();
  for (int k = 0; k < m.blocks; ++k) {
    if (k == m.blocks / 2 && m.checkpoint != NULL) write_checkpoint();
    if (is_mine(k, k)) factor(at(k, k));
    ARMCI_Barrier();
    divide_perimeter(k);
    ARMCI_Barrier();
    update_interior(k);
  }
  ARMCI_Barrier();
}

/* A hash of the place; the diagonal outweighs its row, so nothing need be exchanged. */
static double element(int n, int row, int col) {
  uint64_t bits = ((uint64_t)row << 32 | (uint32_t)col) * UINT64_C(0x9e3779b97f4a7c15);
  bits = (bits ^ bits >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  const double random = (double)((bits ^ bits >> 32) >> 11) * 0x1p-53 - 0.5;
  return row == col ? random + 0.5 * n : random;
}

typedef enum { UPPER, LOWER, ORIGINAL } part;

/* One row of U, of L or of the matrix before, within a block: times x. */
static double times_row(part which, const double* data, int row, int first, int cols,
                        const double* x) {
  double sum = 0;
  for (int c = 0; c < cols; ++c) {
    const int col = first + c;
    if (which == ORIGINAL)
      sum += element(m.n, row, col) * x[col];
    else if (which == UPPER ? col >= row : col < row)
      sum += data[c] * x[col];
    else if (which == LOWER && col == row)
      sum += x[col];
  }
  return sum;
}

/* Collective: y is that part of the matrix times x, everywhere. */
static void multiply(part which, const double* x, double* y) {
  memset(y, 0, (size_t)m.n * sizeof *y);
  for (int i = 0; i < m.blocks; ++i)
    for (int j = 0; j < m.blocks; ++j) {
      if (!is_mine(i, j)) continue;
      const block b = at(i, j);
      for (int r = 0; r < b.rows; ++r) {
        const int row = i * m.edge + r;
        y[row] += times_row(which, b.data + r * b.ld, row, j * m.edge, b.cols, x);
      }
    }
  armci_msg_dgop(y, m.n, "+");
}

/* How far L (U x) is from A x, for some x. */
static double residual(void) {
  double* x = malloc(4 * (size_t)m.n * sizeof *x);
  if (x == NULL) ARMCI_Error("no memory for vectors", m.n);
  double *ux = x + m.n, *lux = ux + m.n, *ax = lux + m.n;
  for (int i = 0; i < m.n; ++i) x[i] = element(1, i + 1, 0);
  multiply(UPPER, x, ux);
  multiply(LOWER, ux, lux);
  multiply(ORIGINAL, x, ax);
  double difference = 0, size = 0;
  for (int i = 0; i < m.n; ++i) {
    if (!(fabs(lux[i] - ax[i]) <= difference)) difference = fabs(lux[i] - ax[i]); /* NaN, too */
    size = fmax(size, fabs(ax[i]));
  }
  free(x);
  return difference / size;
}

/* Element by element or, for those who compare the factors, a number made of all their bits. */
static unsigned long visit(int fill) {
  unsigned long sum = 0;
  for (int i = 0; i < m.blocks; ++i)
    for (int j = 0; j < m.blocks; ++j) {
      if (!is_mine(i, j)) continue;
      const block b = at(i, j);
      for (int r = 0; r < b.rows; ++r)
        for (int c = 0; c < b.cols; ++c) {
          const int row = i * m.edge + r, col = j * m.edge + c;
          double* value = b.data + r * b.ld + c;
          if (fill) *value = element(m.n, row, col);
          uint64_t bits;
          memcpy(&bits, value, sizeof bits);
          bits = (bits ^ ((uint64_t)row << 32 | (uint32_t)col)) * UINT64_C(0x9e3779b97f4a7c15);
          sum += (bits ^ bits >> 31) & 0x3fffffff; /* the sum of all stays below 2^63 */
        }
    }
  return sum;
}

static void allocate(int processes) {
  const size_t area = (size_t)m.edge * (size_t)m.edge * sizeof(double);
  const size_t all = (size_t)m.rows_each * (size_t)m.cols_each * area;
  m.pieces = calloc((size_t)processes, sizeof *m.pieces);
  m.diagonal = ARMCI_Malloc_local((armci_size_t)area);
  m.left = ARMCI_Malloc_local((armci_size_t)(area * (size_t)m.blocks));
  m.above = ARMCI_Malloc_local((armci_size_t)(area * (size_t)m.blocks));
  if (m.pieces == NULL || m.diagonal == NULL || m.left == NULL || m.above == NULL ||
      ARMCI_Malloc((void**)m.pieces, (armci_size_t)all) != 0)
    ARMCI_Error("not enough memory for the matrix", m.n);
}

/* Leaves blocks of others out of checkpoints, or takes them back, as before they are freed. */
static void guide(int (*checkpoint)(const void* memory, size_t bytes)) {
  if (m.checkpoint == NULL || strcmp(m.checkpoint, "guided") != 0) return;
  const size_t area = (size_t)m.edge * (size_t)m.edge * sizeof(double);
  need(checkpoint(m.diagonal, area), "the room for a diagonal block");
  need(checkpoint(m.left, area * (size_t)m.blocks), "the room for blocks to the left");
  need(checkpoint(m.above, area * (size_t)m.blocks), "the room for blocks above");
}

static void release(void) {
  guide(ARMCIX_Checkpoint_keep);
  ARMCI_Free(m.pieces[m.me]);
  ARMCI_Free_local(m.diagonal);
  ARMCI_Free_local(m.left);
  ARMCI_Free_local(m.above);
  free(m.pieces);
}

int main(int argc, char** argv) {
  ARMCI_Init_args(&argc, &argv);
  const int processes = armci_msg_nproc();
  m.n = argc > 1 ? atoi(argv[1]) : 1024;
  m.edge = argc > 2 ? atoi(argv[2]) : 32;
  m.me = armci_msg_me();
  const char* distribution = argc > 3 ? argv[3] : "cyclic";
  m.cyclic = strcmp(distribution, "cyclic") == 0;
  const int is_known = m.cyclic || strcmp(distribution, "rectangles") == 0;
  if (argc > 4) m.checkpoint = argv[4];
  const int is_checkpoint_known = m.checkpoint == NULL || strcmp(m.checkpoint, "whole") == 0 ||
                                  strcmp(m.checkpoint, "guided") == 0;
  if (!is_known || !is_checkpoint_known || m.n < 1 || m.n > 65536 || m.edge < 1 || m.edge > m.n)
    ARMCI_Error("usage: armci_lu [n [block [cyclic|rectangles [whole|guided]]]], block at most n",
                2);
  m.blocks = (m.n + m.edge - 1) / m.edge;
  for (int p = 1; p * p <= processes; ++p)
    if (processes % p == 0) m.grid_rows = p;
  m.grid_cols = processes / m.grid_rows;
  m.rows_each = (m.blocks + m.grid_rows - 1) / m.grid_rows;
  m.cols_each = (m.blocks + m.grid_cols - 1) / m.grid_cols;
  m.my_row = m.me / m.grid_cols;
  m.my_col = m.me % m.grid_cols;
  allocate(processes);
  guide(ARMCIX_Checkpoint_skip);
  (void)visit(1);

  const double start = armci_timer();
  factor_all();
  const double seconds = armci_timer() - start, error = residual();
  long factors = (long)visit(0);
  armci_msg_lgop(&factors, 1, "+");
  const int good = error <= 1e-10;
  if (m.me == 0) {
    printf("LU of %d x %d in blocks of %d, %s, %d processes: %.4f s, %.2f GFLOP/s\n", m.n, m.n,
           m.edge, m.cyclic ? "cyclic" : "rectangles", processes, seconds,
           2e-9 / 3 * m.n * (double)m.n * m.n / seconds);
    printf("result %016lx\n", factors);
    printf("RESIDUAL %s (%.1e)\n", good ? "OK" : "TOO LARGE", error);
    fflush(stdout);
  }
  release();
  ARMCI_Finalize();
  return good ? 0 : 1;
}
