/* Arrays as wholes: periodic access, ghosts, patches, irregular blocks, algebra, groups. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

void test_periodic(void) {
  int dims[2] = {12, 10}, lo[2] = {-3, 7}, hi[2] = {4, 12}, ld = 6;
  double got[8][6];
  const int array = filled_array("periodic", 2, dims);
  NGA_Periodic_get(array, lo, hi, got, &ld);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 6; ++j) {
      const int at[2] = {(i - 3 + 12) % 12, (j + 7) % 10};
      EXPECT(got[i][j] == value(at, 2));
    }
  GA_Sync();
  double half = 0.5;
  NGA_Periodic_acc(array, lo, hi, got, &ld, &half);
  GA_Sync();
  NGA_Periodic_get(array, lo, hi, got, &ld);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 6; ++j) {
      const int at[2] = {(i - 3 + 12) % 12, (j + 7) % 10};
      EXPECT(got[i][j] == value(at, 2) * (1 + 0.5 * nproc));
    }
  GA_Sync();
  if (me == nproc - 1) {
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 6; ++j) got[i][j] = 10 * i + j;
    NGA_Periodic_put(array, lo, hi, got, &ld);
  }
  GA_Sync();
  int one[2] = {9, 2};
  double element;
  NGA_Get(array, one, one, &element, &ld);
  EXPECT(element == 5);
  GA_Sync();
  GA_Destroy(array);
}

void test_ghosts(void) {
  int dims[2] = {14, 15}, width[2] = {2, 1}, chunk[2] = {-1, -1}, lo[2], hi[2], padded[2], ld[1];
  double* local;
  const int array = NGA_Create_ghosts(C_DBL, 2, dims, width, "ghosts", chunk);
  EXPECT(GA_Has_ghosts(array));
  NGA_Distribution(array, me, lo, hi);
  if (lo[0] >= 0 && hi[0] >= lo[0]) {
    double mine[14 * 15];
    int shape[1] = {hi[1] - lo[1] + 1};
    fill_box(mine, lo, hi, 2);
    NGA_Put(array, lo, hi, mine, shape);
  }
  GA_Sync();
  GA_Update_ghosts(array);
  GA_Sync();
  if (lo[0] >= 0 && hi[0] >= lo[0]) {
    NGA_Access_ghosts(array, padded, &local, ld);
    for (int i = 0; i < padded[0]; ++i)
      for (int j = 0; j < padded[1]; ++j) {
        const int at[2] = {(lo[0] - 2 + i + 14) % 14, (lo[1] - 1 + j + 15) % 15};
        EXPECT(local[i * ld[0] + j] == value(at, 2));
      }
    NGA_Release(array, lo, hi);
  }
  GA_Sync();
  GA_Destroy(array);
}

void test_patches(void) {
  int dims[2] = {20, 16}, other_dims[2] = {16, 20};
  const int a = filled_array("a", 2, dims), b = NGA_Create(C_DBL, 2, other_dims, "b", NULL);
  GA_Zero(b);
  int alo[2] = {3, 2}, ahi[2] = {12, 9}, blo[2] = {5, 6}, bhi[2] = {12, 15}, ld = 20;
  NGA_Copy_patch('t', a, alo, ahi, b, blo, bhi);
  GA_Sync();
  static double got[16][20];
  int lo[2] = {0, 0}, hi[2] = {15, 19};
  NGA_Get(b, lo, hi, got, &ld);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 20; ++j) {
      const int inside = i >= 5 && i <= 12 && j >= 6 && j <= 15;
      const int at[2] = {3 + (j - 6), 2 + (i - 5)};
      EXPECT(got[i][j] == (inside ? value(at, 2) : 0));
    }
  GA_Sync();
  double seven = 7;
  NGA_Fill_patch(b, blo, bhi, &seven);
  NGA_Get(b, blo, bhi, got, &ld);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 10; ++j) EXPECT(got[i][j] == 7);
  GA_Sync();
  const double dot = NGA_Ddot_patch(b, 'n', blo, bhi, b, 'n', blo, bhi);
  EXPECT(dot == 80 * 49);
  const int copy = GA_Duplicate(a, "copy");
  GA_Copy(a, copy);
  expect_all(copy, 2, dims, 1, 0);
  double three = 3;
  GA_Scale(copy, &three);
  GA_Add_constant(copy, &seven);
  expect_all(copy, 2, dims, 3, 7);
  GA_Destroy(copy);
  GA_Destroy(a);
  GA_Destroy(b);
}

void test_irregular(void) {
  int dims[2] = {23, 11}, block[2] = {nproc, 1}, map[64], lo[2], hi[2];
  for (int i = 0; i < nproc; ++i) map[i] = i == 0 ? 0 : 3 + 2 * i; /* blocks of unequal height */
  map[nproc] = 0;
  const int array = NGA_Create_irreg(C_DBL, 2, dims, "irregular", block, map);
  EXPECT(array != 0);
  NGA_Distribution(array, me, lo, hi);
  EXPECT(lo[0] == map[me] && hi[0] == (me + 1 < nproc ? map[me + 1] - 1 : 22));
  double* local;
  int ld[1];
  NGA_Access(array, lo, hi, &local, ld);
  for (int i = lo[0]; i <= hi[0]; ++i)
    for (int j = 0; j < 11; ++j) {
      const int at[2] = {i, j};
      local[(i - lo[0]) * ld[0] + j] = value(at, 2);
    }
  NGA_Release_update(array, lo, hi);
  GA_Sync();
  expect_all(array, 2, dims, 1, 0);
  for (int p = 0; p < nproc; ++p) {
    int at[2] = {map[p], 5};
    EXPECT(NGA_Locate(array, at) == p);
  }
  GA_Destroy(array);
}

void test_algebra(void) {
  enum { n = 37 };
  static double a[n][n], b[n][n], got[n][n];
  int dims[2] = {n, n}, lo[2] = {0, 0}, hi[2] = {n - 1, n - 1}, ld = n;
  const int g_a = filled_array("a", 2, dims), g_b = GA_Duplicate(g_a, "b"),
            g_c = GA_Duplicate(g_a, "c");
  GA_Transpose(g_a, g_b);
  NGA_Get(g_a, lo, hi, a, &ld);
  NGA_Get(g_b, lo, hi, b, &ld);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) EXPECT(b[i][j] == a[j][i]);
  GA_Zero(g_c);
  GA_Dgemm('n', 'n', n, n, n, 1.0, g_a, g_b, 0.0, g_c);
  NGA_Get(g_c, lo, hi, got, &ld);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i][k] * b[k][j];
      EXPECT(got[i][j] == sum);
    }
  GA_Sync();
  double two = 2, three = 3;
  GA_Add(&two, g_a, &three, g_a, g_c);
  expect_all(g_c, 2, dims, 5, 0);
  double trace = 0, all = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) all += a[i][j] * a[i][j];
  EXPECT(GA_Ddot(g_a, g_a) == all);
  for (int i = 0; i < n; ++i) trace += a[i][i];
  GA_Symmetrize(g_a);
  NGA_Get(g_a, lo, hi, got, &ld);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) EXPECT(got[i][j] == 0.5 * (a[i][j] + a[j][i]));
  for (int i = 0; i < n; ++i) trace -= got[i][i];
  EXPECT(trace == 0);
  GA_Sync();
  GA_Destroy(g_a);
  GA_Destroy(g_b);
  GA_Destroy(g_c);
}

void test_groups(void) {
  int members[64], count = 0, dims[2] = {15, 9}, chunk[2] = {-1, -1};
  for (int p = me % 2; p < nproc; p += 2) members[count++] = p;
  const int group = GA_Pgroup_create(members, count);
  EXPECT(GA_Pgroup_nnodes(group) == count);
  EXPECT(GA_Pgroup_nodeid(group) == me / 2);
  int sum = 1;
  GA_Pgroup_igop(group, &sum, 1, "+");
  EXPECT(sum == count);
  const int array = NGA_Create_config(C_DBL, 2, dims, "of a group", chunk, group);
  GA_Zero(array);
  static double buffer[15 * 9], got[15 * 9];
  int lo[2] = {0, 0}, hi[2] = {14, 8}, ld = 9;
  fill_box(buffer, lo, hi, 2);
  double scale = 1 + me % 2;
  NGA_Acc(array, lo, hi, buffer, &ld, &scale);
  GA_Pgroup_sync(group);
  NGA_Get(array, lo, hi, got, &ld);
  for (int i = 0; i < 15 * 9; ++i) EXPECT(got[i] == count * scale * buffer[i]);
  GA_Pgroup_sync(group);
  GA_Destroy(array);

  /* Everything within a group, as if the others were not there. */
  GA_Pgroup_set_default(group);
  EXPECT(GA_Nnodes() == count && GA_Nodeid() == me / 2);
  const int inner = NGA_Create(C_DBL, 2, dims, "inner", chunk);
  double five = 5;
  GA_Fill(inner, &five);
  EXPECT(GA_Ddot(inner, inner) == 25.0 * 15 * 9);
  GA_Destroy(inner);
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  GA_Sync();
  GA_Pgroup_destroy(group);
}
