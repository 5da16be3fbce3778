/* Blocks, elements, counters, locks: one-sided access in every number of dimensions and type. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const int sizes[dims_max] = {9, 7, 5, 4, 3, 3, 2};

void test_dimensions(void) {
  static double buffer[elements_max];
  for (int ndim = 1; ndim <= dims_max; ++ndim) {
    int dims[dims_max], lo[dims_max], hi[dims_max], ld[dims_max];
    memcpy(dims, sizes, sizeof dims);
    const int array = filled_array("dimensions", ndim, dims);
    expect_all(array, ndim, dims, 1, 0);
    /* All add twice the whole at once. */
    for (int d = 0; d < ndim; ++d) lo[d] = 0, hi[d] = dims[d] - 1;
    fill_box(buffer, lo, hi, ndim);
    leading(ld, lo, hi, ndim);
    double two = 2;
    NGA_Acc(array, lo, hi, buffer, ld, &two);
    GA_Sync();
    expect_all(array, ndim, dims, 1 + 2 * nproc, 0);
    /* An inner box, into the middle of a larger buffer. */
    for (int d = 0; d < ndim; ++d) lo[d] = dims[d] > 2 ? 1 : 0, hi[d] = dims[d] - 1;
    int wide[dims_max], at[dims_max];
    for (int d = 1; d < ndim; ++d) wide[d - 1] = hi[d] - lo[d] + 3;
    for (int i = 0; i < elements_max; ++i) buffer[i] = -1;
    NGA_Get(array, lo, hi, buffer, wide);
    memcpy(at, lo, sizeof at);
    int good = 1;
    do {
      long place = at[0] - lo[0];
      for (int d = 1; d < ndim; ++d) place = place * wide[d - 1] + at[d] - lo[d];
      good = good && buffer[place] == (1 + 2 * nproc) * value(at, ndim);
    } while (next_in_box(at, lo, hi, ndim));
    EXPECT(good);
    GA_Sync();
    GA_Destroy(array);
  }
}

#define CHECK_TYPE(ga_type, c_type)                                                  \
  do {                                                                               \
    int dims[2] = {13, 17}, lo[2] = {me % 13, 0}, hi[2] = {me % 13, 16}, ld = 17;    \
    c_type row[17], back[17], one = 1;                                               \
    const int array = NGA_Create(ga_type, 2, dims, "typed", NULL);                   \
    GA_Zero(array);                                                                  \
    for (int j = 0; j < 17; ++j) row[j] = (c_type)(100 * me + j);                    \
    NGA_Put(array, lo, hi, row, &ld);                                                \
    GA_Sync();                                                                       \
    NGA_Acc(array, lo, hi, row, &ld, &one);                                          \
    GA_Sync();                                                                       \
    lo[0] = hi[0] = (me + 1) % nproc;                                                \
    NGA_Get(array, lo, hi, back, &ld);                                               \
    for (int j = 0; j < 17; ++j) EXPECT(back[j] == (c_type)(2 * (100 * lo[0] + j))); \
    GA_Sync();                                                                       \
    GA_Destroy(array);                                                               \
  } while (0)

void test_types(void) {
  CHECK_TYPE(C_INT, int);
  CHECK_TYPE(C_LONG, long);
  CHECK_TYPE(C_FLOAT, float);
  CHECK_TYPE(C_DBL, double);
  int dims[1] = {40}, lo[1] = {0}, hi[1] = {39};
  DoubleComplex numbers[40], one = {0, 1};
  const int array = NGA_Create(C_DCPL, 1, dims, "complex", NULL);
  GA_Zero(array);
  for (int i = 0; i < 40; ++i) numbers[i].real = i, numbers[i].imag = 2 * i;
  NGA_Acc(array, lo, hi, numbers, NULL, &one); /* times i */
  GA_Sync();
  NGA_Get(array, lo, hi, numbers, NULL);
  for (int i = 0; i < 40; ++i)
    EXPECT(numbers[i].real == -2.0 * i * nproc && numbers[i].imag == 1.0 * i * nproc);
  GA_Sync();
  GA_Destroy(array);
}

void test_elements(void) {
  enum { count = 50 };
  int dims[2] = {40, 30}, places[count][2];
  int* subscripts[count];
  double values[count], got[count];
  const int array = NGA_Create(C_DBL, 2, dims, "elements", NULL);
  GA_Zero(array);
  for (int i = 0; i < count; ++i) { /* each process its own columns */
    places[i][0] = (7 * i) % 40;
    places[i][1] = (i / 40) * nproc + me;
    subscripts[i] = places[i];
    values[i] = value(places[i], 2);
  }
  NGA_Scatter(array, values, subscripts, count);
  GA_Sync();
  NGA_Gather(array, got, subscripts, count);
  EXPECT(memcmp(values, got, sizeof got) == 0);
  for (int i = 0; i < count; ++i) { /* somebody else's */
    places[i][1] = (i / 40) * nproc + (me + 1) % nproc;
    values[i] = value(places[i], 2);
  }
  NGA_Gather(array, got, subscripts, count);
  EXPECT(memcmp(values, got, sizeof got) == 0);
  GA_Sync();
  double three = 3;
  NGA_Scatter_acc(array, values, subscripts, count, &three);
  GA_Sync();
  NGA_Gather(array, got, subscripts, count);
  for (int i = 0; i < count; ++i) EXPECT(got[i] == 4 * values[i]);
  GA_Sync();
  GA_Destroy(array);
}

void test_counters_and_locks(void) {
  enum { draws = 200 };
  int dims[1] = {nproc}, lo[1] = {0}, hi[1] = {0}, at[1] = {nproc - 1};
  const int counters = NGA_Create(C_LONG, 1, dims, "counters", NULL);
  GA_Zero(counters);
  long last = -1, sum = 0;
  for (int i = 0; i < draws; ++i) {
    const long drawn = NGA_Read_inc(counters, at, 1);
    EXPECT(drawn > last);
    sum += (last = drawn);
  }
  GA_Lgop(&sum, 1, "+");
  const long n = (long)draws * nproc;
  EXPECT(sum == n * (n - 1) / 2);
  GA_Sync();

  EXPECT(GA_Create_mutexes(3));
  for (int i = 0; i < draws; ++i) {
    long number;
    GA_Lock(i % 3);
    if (i % 3 == 0) {
      NGA_Get(counters, lo, hi, &number, NULL);
      ++number;
      NGA_Put(counters, lo, hi, &number, NULL);
    }
    GA_Unlock(i % 3);
  }
  GA_Sync();
  long total;
  NGA_Get(counters, lo, hi, &total, NULL);
  EXPECT(total == (long)((draws + 2) / 3) * nproc + (nproc == 1 ? n : 0));
  EXPECT(GA_Destroy_mutexes());
  GA_Destroy(counters);
}

void test_nonblocking(void) {
  static double rows[20][64], back[20][64];
  int dims[2] = {20 * nproc, 64}, ld = 64;
  ga_nbhdl_t handles[20];
  const int array = NGA_Create(C_DBL, 2, dims, "nonblocking", NULL);
  GA_Zero(array);
  for (int i = 0; i < 20; ++i) {
    int lo[2] = {i * nproc + me, 0}, hi[2] = {i * nproc + me, 63};
    fill_box(rows[i], lo, hi, 2);
    NGA_NbPut(array, lo, hi, rows[i], &ld, &handles[i]);
  }
  for (int i = 0; i < 20; ++i) NGA_NbWait(&handles[i]);
  GA_Sync();
  expect_all(array, 2, dims, 1, 0);
  for (int i = 0; i < 20; ++i) {
    int lo[2] = {i * nproc + (me + 1) % nproc, 0}, hi[2] = {lo[0], 63};
    NGA_NbGet(array, lo, hi, back[i], &ld, &handles[i]);
  }
  for (int i = 0; i < 20; ++i) {
    int lo[2] = {i * nproc + (me + 1) % nproc, 0}, hi[2] = {lo[0], 63};
    NGA_NbWait(&handles[i]);
    fill_box(rows[i], lo, hi, 2);
    EXPECT(memcmp(rows[i], back[i], sizeof back[i]) == 0);
  }
  GA_Sync();
  GA_Destroy(array);
}
