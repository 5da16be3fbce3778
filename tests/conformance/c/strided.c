/* Sections of up to eight levels, with strides that differ per side, against a model that moves
   them segment by segment; and what lies between the segments stays as it was. */
#include "harness.h"

enum { room = 1 << 16 };

typedef struct {
  int levels;
  int count[ARMCI_MAX_STRIDE_LEVEL + 1];
  int near[ARMCI_MAX_STRIDE_LEVEL]; /* strides of the local side */
  int far[ARMCI_MAX_STRIDE_LEVEL];  /* of the other process's */
} section;

static unsigned next_random(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

/* Strides that leave `gap` units between groups; the bytes that the section spans. */
static int lay_out(const int* count, int levels, int gap, int* stride) {
  int span = count[0];
  for (int i = 0; i < levels; ++i) {
    stride[i] = span + gap;
    span += stride[i] * (count[i + 1] - 1);
  }
  return span;
}

static section make_section(int levels, unsigned* random) {
  section s = {.levels = levels};
  s.count[0] = 1 + (int)(next_random(random) % 24);
  for (int i = 1; i <= levels; ++i)
    s.count[i] = 1 + (int)(next_random(random) % (levels > 4 ? 2 : 4));
  const int near = lay_out(s.count, levels, (int)(next_random(random) % 4), s.near);
  const int far = lay_out(s.count, levels, (int)(next_random(random) % 6), s.far);
  if (near > room || far > room) s.levels = 0;
  return s;
}

/* The model: to and from are walked in step. */
static void copy_by_segments(char* to, const int* to_stride, const char* from,
                             const int* from_stride, const section* s, int level) {
  if (level == 0) {
    memcpy(to, from, (size_t)s->count[0]);
    return;
  }
  for (int i = 0; i < s->count[level]; ++i)
    copy_by_segments(to + (long)i * to_stride[level - 1], to_stride,
                     from + (long)i * from_stride[level - 1], from_stride, s, level - 1);
}

static void fill(char* at, int seed) {
  for (int i = 0; i < room; ++i) at[i] = (char)(i * 7 + i / 256 + seed);
}

typedef struct {
  pieces p;
  char* local;
  char* expected;
} stage;

static stage set_stage(void) {
  stage s = {make_pieces(room), malloc(room), malloc(room)};
  fill(s.local, 1 + me);
  return s;
}

static void strike(stage s) {
  free(s.local);
  free(s.expected);
  drop(s.p);
}

static int put(section* s, char* local, char* remote, int proc) {
  return ARMCI_PutS(local, s->near, remote, s->far, s->count, s->levels, proc);
}
static int put_implicit(section* s, char* local, char* remote, int proc) {
  return ARMCI_NbPutS(local, s->near, remote, s->far, s->count, s->levels, proc, NULL) +
         ARMCI_WaitProc(proc);
}
static int put_explicit(section* s, char* local, char* remote, int proc) {
  armci_hdl_t handle = {0, 0};
  return ARMCI_NbPutS(local, s->near, remote, s->far, s->count, s->levels, proc, &handle) +
         ARMCI_Wait(&handle);
}
static int get(section* s, char* local, char* remote, int proc) {
  return ARMCI_GetS(remote, s->far, local, s->near, s->count, s->levels, proc);
}
static int get_implicit(section* s, char* local, char* remote, int proc) {
  return ARMCI_NbGetS(remote, s->far, local, s->near, s->count, s->levels, proc, NULL) +
         ARMCI_WaitAll();
}
static int get_explicit(section* s, char* local, char* remote, int proc) {
  armci_hdl_t handle = {0, 0};
  return ARMCI_NbGetS(remote, s->far, local, s->near, s->count, s->levels, proc, &handle) +
         ARMCI_Wait(&handle);
}

typedef int (*mover)(section* s, char* local, char* remote, int proc);

static void put_sections(mover move) {
  stage st = set_stage();
  unsigned random = 1;
  for (int levels = 0; levels <= ARMCI_MAX_STRIDE_LEVEL; ++levels)
    for (int round = 0; round < 6; ++round) {
      section s = make_section(levels, &random);
      char* theirs = st.p.at[right_of(me)];
      memset(mine(st.p), 0, room);
      ARMCI_Barrier();
      CHECK_EQUAL(move(&s, st.local, theirs, right_of(me)), 0);
      ARMCI_Barrier();
      char* from = malloc(room);
      fill(from, 1 + left_of(me));
      memset(st.expected, 0, room);
      copy_by_segments(st.expected, s.far, from, s.near, &s, s.levels);
      CHECK(memcmp(st.expected, mine(st.p), room) == 0);
      free(from);
      ARMCI_Barrier();
    }
  strike(st);
}

static void get_sections(mover move) {
  stage st = set_stage();
  unsigned random = 2;
  fill(mine(st.p), 1 + me);
  ARMCI_Barrier();
  char* theirs = malloc(room);
  fill(theirs, 1 + right_of(me));
  for (int levels = 0; levels <= ARMCI_MAX_STRIDE_LEVEL; ++levels)
    for (int round = 0; round < 6; ++round) {
      section s = make_section(levels, &random);
      memset(st.local, 0, room);
      memset(st.expected, 0, room);
      CHECK_EQUAL(move(&s, st.local, st.p.at[right_of(me)], right_of(me)), 0);
      copy_by_segments(st.expected, s.near, theirs, s.far, &s, s.levels);
      CHECK(memcmp(st.expected, st.local, room) == 0);
    }
  free(theirs);
  strike(st);
}

static void puts_with_0_to_8_levels(void) { put_sections(put); }
static void puts_implicit(void) { put_sections(put_implicit); }
static void puts_explicit(void) { put_sections(put_explicit); }
static void gets_with_0_to_8_levels(void) { get_sections(get); }
static void gets_implicit(void) { get_sections(get_implicit); }
static void gets_explicit(void) { get_sections(get_explicit); }

static void a_count_of_zero_at_any_level_moves_nothing(void) {
  stage st = set_stage();
  for (int zero = 0; zero <= 2; ++zero) {
    section s = {2, {8, 4, 4}, {8, 32}, {8, 32}};
    s.count[zero] = 0;
    CHECK_EQUAL(put(&s, st.local, st.p.at[right_of(me)], right_of(me)), 0);
  }
  ARMCI_Barrier();
  memset(st.expected, 0, room);
  CHECK(memcmp(st.expected, mine(st.p), room) == 0);
  strike(st);
}

static void a_transpose_is_a_put_of_columns(void) {
  enum { n = 16 };
  pieces p = make_pieces(n * n * sizeof(double));
  double local[n][n];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) local[i][j] = i * n + j;
  int far[1] = {n * sizeof(double)}, near[1] = {sizeof(double)}, count[2] = {sizeof(double), n};
  double* to = p.at[right_of(me)];
  for (int i = 0; i < n; ++i)
    CHECK_EQUAL(ARMCI_PutS(local[i], near, to + i, far, count, 1, right_of(me)), 0);
  ARMCI_Barrier();
  const double* own = mine(p);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) wrong += own[j * n + i] != i * n + j;
  CHECK_EQUAL(wrong, 0);
  drop(p);
}

const test_case strided_tests[] = {
    {"strided puts with 0 to 8 levels", puts_with_0_to_8_levels},
    {"strided puts, implicit handle", puts_implicit},
    {"strided puts, explicit handle", puts_explicit},
    {"strided gets with 0 to 8 levels", gets_with_0_to_8_levels},
    {"strided gets, implicit handle", gets_implicit},
    {"strided gets, explicit handle", gets_explicit},
    {"a count of zero at any level moves nothing", a_count_of_zero_at_any_level_moves_nothing},
    {"a transpose is a put of columns", a_transpose_is_a_put_of_columns},
    {NULL, NULL},
};
