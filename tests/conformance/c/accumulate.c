/* x += scale * y for every type and shape; and nothing is lost when all add to one place. */
#include "harness.h"

enum { count = 24 }; /* numbers, real ones; complex pairs take two */

typedef struct {
  const char* name;
  int datatype;
  int bytes;   /* of an element */
  int complex; /* pairs */
  void (*set)(void* at, int i, double value);
  double (*get)(const void* at, int i);
} number_type;

#define ACCESS(name, type)                                                                \
  static void set_##name(void* at, int i, double value) { ((type*)at)[i] = (type)value; } \
  static double get_##name(const void* at, int i) { return (double)((const type*)at)[i]; }
ACCESS(int, int)
ACCESS(long, long)
ACCESS(float, float)
ACCESS(double, double)

static const number_type types[] = {
    {"int", ARMCI_ACC_INT, sizeof(int), 0, set_int, get_int},
    {"long", ARMCI_ACC_LNG, sizeof(long), 0, set_long, get_long},
    {"float", ARMCI_ACC_FLT, sizeof(float), 0, set_float, get_float},
    {"double", ARMCI_ACC_DBL, sizeof(double), 0, set_double, get_double},
    {"complex float", ARMCI_ACC_CPL, 2 * sizeof(float), 1, set_float, get_float},
    {"complex double", ARMCI_ACC_DCP, 2 * sizeof(double), 1, set_double, get_double},
};

/* y, the scale 3 (or 3 + 2i), and what scale * y is at number i. */
static void fill(const number_type* t, void* y, void* scale) {
  for (int i = 0; i < count; ++i) t->set(y, i, i + 1);
  t->set(scale, 0, 3);
  if (t->complex) t->set(scale, 1, 2);
}

static double product(const number_type* t, int i) {
  if (!t->complex) return 3.0 * (i + 1);
  const double re = i / 2 * 2 + 1, im = re + 1;
  return i % 2 == 0 ? 3 * re - 2 * im : 3 * im + 2 * re;
}

static int numbers_bytes(const number_type* t) { return count * t->bytes / (1 + t->complex); }

static void check_sum(const number_type* t, const void* x, double times) {
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += t->get(x, i) != 100 + times * product(t, i);
  CHECK_EQUAL(wrong, 0);
}

typedef int (*accumulate)(const number_type* t, void* scale, void* y, void* x, int proc);

/* Everyone adds to everyone, `rounds` times, to numbers that start at 100. */
static void everyone_adds(accumulate add) {
  for (size_t k = 0; k < sizeof types / sizeof *types; ++k) {
    const number_type* t = types + k;
    double y[count], scale[2];
    fill(t, y, scale);
    pieces p = make_pieces(sizeof y);
    for (int i = 0; i < count; ++i) t->set(mine(p), i, 100);
    ARMCI_Barrier();
    for (int round = 0; round < 20; ++round)
      for (int proc = 0; proc < nproc; ++proc) CHECK_EQUAL(add(t, scale, y, p.at[proc], proc), 0);
    ARMCI_Barrier();
    check_sum(t, mine(p), 20.0 * nproc);
    drop(p);
  }
}

static int add_contiguous(const number_type* t, void* scale, void* y, void* x, int proc) {
  return ARMCI_Acc(t->datatype, scale, y, x, numbers_bytes(t), proc);
}

/* As 3 levels of 2 x 3 x 2 elements (complex: 2 x 3 x 2 of half as many). */
static int shape(const number_type* t, int stride[2], int counts[3]) {
  const int elements = numbers_bytes(t) / t->bytes;
  counts[0] = elements / 6 * t->bytes;
  counts[1] = 3;
  counts[2] = 2;
  stride[0] = counts[0];
  stride[1] = counts[0] * 3;
  return 2;
}

static int add_strided(const number_type* t, void* scale, void* y, void* x, int proc) {
  int stride[2], counts[3];
  const int levels = shape(t, stride, counts);
  return ARMCI_AccS(t->datatype, scale, y, stride, x, stride, counts, levels, proc);
}

static void each_element(const number_type* t, void* y, void* x, void** from, void** to,
                         armci_giov_t* iov) {
  const int elements = numbers_bytes(t) / t->bytes;
  for (int i = 0; i < elements; ++i) {
    from[i] = (char*)y + i * t->bytes;
    to[i] = (char*)x + i * t->bytes;
  }
  *iov = (armci_giov_t){
      .src_ptr_array = from, .dst_ptr_array = to, .bytes = t->bytes, .ptr_array_len = elements};
}

static int add_vector(const number_type* t, void* scale, void* y, void* x, int proc) {
  void *from[count], *to[count];
  armci_giov_t iov;
  each_element(t, y, x, from, to, &iov);
  return ARMCI_AccV(t->datatype, scale, &iov, 1, proc);
}

static int add_nonblocking(const number_type* t, void* scale, void* y, void* x, int proc) {
  armci_hdl_t handle = {0, 0};
  const int code = ARMCI_NbAcc(t->datatype, scale, y, x, numbers_bytes(t), proc, &handle);
  return code != 0 ? code : ARMCI_Wait(&handle);
}

static int add_strided_nonblocking(const number_type* t, void* scale, void* y, void* x, int proc) {
  int stride[2], counts[3];
  const int levels = shape(t, stride, counts);
  const int code =
      ARMCI_NbAccS(t->datatype, scale, y, stride, x, stride, counts, levels, proc, NULL);
  return code != 0 ? code : ARMCI_WaitProc(proc);
}

static int add_vector_aggregated(const number_type* t, void* scale, void* y, void* x, int proc) {
  void *from[count], *to[count];
  armci_giov_t iov;
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  each_element(t, y, x, from, to, &iov);
  const int code = ARMCI_NbAccV(t->datatype, scale, &iov, 1, proc, &handle);
  return code != 0 ? code : ARMCI_Wait(&handle);
}

static void contiguous(void) { everyone_adds(add_contiguous); }
static void strided(void) { everyone_adds(add_strided); }
static void vector(void) { everyone_adds(add_vector); }
static void nonblocking(void) { everyone_adds(add_nonblocking); }
static void strided_nonblocking(void) { everyone_adds(add_strided_nonblocking); }
static void vector_aggregated(void) { everyone_adds(add_vector_aggregated); }

static void no_addition_is_lost_when_all_hammer_one_place(void) {
  enum { rounds = 2000 };
  pieces p = make_pieces(3 * sizeof(double));
  double one = 1, ones[3] = {1, 2, 3};
  for (int i = 0; i < rounds; ++i) ARMCI_Acc(ARMCI_ACC_DBL, &one, ones, p.at[0], sizeof ones, 0);
  ARMCI_Barrier();
  const double* x = p.at[0];
  if (me == 0)
    for (int i = 0; i < 3; ++i) CHECK_EQUAL(x[i], (i + 1.0) * rounds * nproc);
  drop(p);
}

/* As in sections whose rows are no whole number of elements apart. */
static void elements_may_lie_at_odd_addresses(void) {
  enum { rows = 20, row_ints = 4, stride = row_ints * (int)sizeof(int) + 15 };
  pieces p = make_pieces((rows + 1) * stride);
  const int to = right_of(me);
  int scale = 2, strides[1] = {stride}, counts[2] = {row_ints * (int)sizeof(int), rows}, wrong = 0;
  char source[(rows + 1) * stride] = {0};
  armci_hdl_t handle;
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < row_ints; ++i) {
      const int value = 100 * row + i;
      memcpy(source + 1 + row * stride + i * (int)sizeof(int), &value, sizeof value);
    }
  CHECK_EQUAL(ARMCI_AccS(ARMCI_ACC_INT, &scale, source + 1, strides, (char*)p.at[to] + 3, strides,
                         counts, 1, to),
              0);
  ARMCI_INIT_HANDLE(&handle);
  CHECK_EQUAL(ARMCI_NbAccS(ARMCI_ACC_INT, &scale, source + 1, strides, (char*)p.at[to] + 3, strides,
                           counts, 1, to, &handle),
              0);
  CHECK_EQUAL(ARMCI_Wait(&handle), 0);
  ARMCI_Barrier();
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < row_ints; ++i) {
      int value = 0;
      memcpy(&value, (char*)mine(p) + 3 + row * stride + i * (int)sizeof(int), sizeof value);
      wrong += value != 4 * (100 * row + i);
    }
  CHECK_EQUAL(wrong, 0);
  drop(p);
}

static void random_access_accumulates_by_exclusive_or(void) {
  pieces p = make_pieces(4 * sizeof(long));
  long bits[4];
  for (int i = 0; i < 4; ++i) bits[i] = 1L << (me + i * 8);
  CHECK_EQUAL(ARMCI_Acc(ARMCI_ACC_RA, NULL, bits, p.at[0], sizeof bits, 0), 0);
  int stride[1] = {2 * (int)sizeof(long)}, counts[2] = {sizeof(long), 2};
  CHECK_EQUAL(ARMCI_AccS(ARMCI_ACC_RA, NULL, bits, stride, p.at[0], stride, counts, 1, 0), 0);
  void *from[1] = {&bits[3]}, *to[1] = {(long*)p.at[0] + 3};
  armci_giov_t iov = {from, to, sizeof(long), 1};
  CHECK_EQUAL(ARMCI_AccV(ARMCI_ACC_RA, NULL, &iov, 1, 0), 0);
  ARMCI_Barrier();
  const long all = (1L << nproc) - 1;
  const long* x = p.at[0];
  if (me == 0) {
    CHECK_EQUAL(x[0], 0);
    CHECK_EQUAL(x[1], all << 8);
    CHECK_EQUAL(x[2], 0);
    CHECK_EQUAL(x[3], 0);
  }
  drop(p);
}

static void random_access_changes_nothing_unless_all_rows_are_good(void) {
  long own[2] = {0, 0};
  pieces p = make_pieces(2 * sizeof(long));
  const int to = right_of(me);
  long bits[2] = {1, 2};
  int near[1] = {sizeof(long)}, far[1] = {1 << 30}, counts[2] = {sizeof(long), 2};
  CHECK_EQUAL(ARMCI_AccS(ARMCI_ACC_RA, NULL, bits, near, p.at[to], far, counts, 1, to), -6);
  void *from[2] = {bits, bits + 1}, *targets[2] = {p.at[to], own};
  armci_giov_t iov = {from, targets, sizeof(long), 2};
  CHECK_EQUAL(ARMCI_AccV(ARMCI_ACC_RA, NULL, &iov, 1, to), -6);
  targets[1] = (char*)p.at[to] + 4; /* aligned for an int */
  CHECK_EQUAL(ARMCI_AccV(ARMCI_ACC_RA, NULL, &iov, 1, to), -6);
  ARMCI_Barrier();
  CHECK_EQUAL(*(long*)mine(p), 0);
  CHECK_EQUAL(own[0], 0);
  drop(p);
}

const test_case accumulate_tests[] = {
    {"accumulate of every type", contiguous},
    {"accumulate of every type, strided", strided},
    {"accumulate of every type, vector", vector},
    {"accumulate of every type, non-blocking", nonblocking},
    {"accumulate of every type, strided, implicit handle", strided_nonblocking},
    {"accumulate of every type, vector, aggregate handle", vector_aggregated},
    {"no addition is lost when all hammer one place",
     no_addition_is_lost_when_all_hammer_one_place},
    {"random access accumulates by exclusive or", random_access_accumulates_by_exclusive_or},
    {"random access changes nothing unless all rows are good",
     random_access_changes_nothing_unless_all_rows_are_good},
    {"elements may lie at odd addresses", elements_may_lie_at_odd_addresses},
    {NULL, NULL},
};
