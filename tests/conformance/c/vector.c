#include "harness.h"

enum { count = 300 };

typedef struct {
  pieces p;
  double local[count];
  void* near[count];
  void* far[count];
} stage;

/* Every third double of the neighbour's, in reverse, beside every second local one of half of them.
 */
static stage* set_stage(void) {
  stage* s = malloc(sizeof *s);
  s->p = make_pieces(3 * count * sizeof(double));
  double* own = mine(s->p);
  for (int i = 0; i < 3 * count; ++i) own[i] = me * 10000 + i;
  for (int i = 0; i < count; ++i) {
    s->local[i] = -1 - i - 1000 * me;
    s->near[i] = &s->local[i];
    s->far[i] = (double*)s->p.at[right_of(me)] + 3 * (count - 1 - i);
  }
  ARMCI_Barrier();
  return s;
}

static void strike(stage* s) {
  drop(s->p);
  free(s);
}

/* Two descriptors of different lengths. */
static void describe(void** from, void** to, armci_giov_t iov[2]) {
  iov[0] = (armci_giov_t){from, to, sizeof(double), 100};
  iov[1] = (armci_giov_t){from + 100, to + 100, sizeof(double), count - 100};
}

static void check_gathered(const stage* s) {
  int wrong = 0;
  for (int i = 0; i < count; ++i)
    wrong += s->local[i] != right_of(me) * 10000 + 3 * (count - 1 - i);
  CHECK_EQUAL(wrong, 0);
}

static void check_scattered(const stage* s) {
  ARMCI_Barrier();
  const double* own = mine(s->p);
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    wrong += own[3 * (count - 1 - i)] != -1 - i - 1000 * left_of(me);
    wrong += own[3 * i + 1] != me * 10000 + 3 * i + 1;
  }
  CHECK_EQUAL(wrong, 0);
}

static void get_gathers(void) {
  stage* s = set_stage();
  armci_giov_t iov[2];
  describe(s->far, s->near, iov);
  CHECK_EQUAL(ARMCI_GetV(iov, 2, right_of(me)), 0);
  check_gathered(s);
  strike(s);
}

static void put_scatters(void) {
  stage* s = set_stage();
  armci_giov_t iov[2];
  describe(s->near, s->far, iov);
  CHECK_EQUAL(ARMCI_PutV(iov, 2, right_of(me)), 0);
  check_scattered(s);
  strike(s);
}

static void get_gathers_without_blocking(void) {
  for (int way = 0; way < 3; ++way) {
    stage* s = set_stage();
    armci_giov_t iov[2];
    armci_hdl_t handle = {0, 0};
    if (way == 2) ARMCI_SET_AGGREGATE_HANDLE(&handle);
    describe(s->far, s->near, iov);
    CHECK_EQUAL(ARMCI_NbGetV(iov, 2, right_of(me), way == 0 ? NULL : &handle), 0);
    CHECK_EQUAL(way == 0 ? ARMCI_WaitAll() : ARMCI_Wait(&handle), 0);
    check_gathered(s);
    strike(s);
  }
}

static void put_scatters_without_blocking(void) {
  for (int way = 0; way < 3; ++way) {
    stage* s = set_stage();
    armci_giov_t iov[2];
    armci_hdl_t handle = {0, 0};
    if (way == 2) ARMCI_SET_AGGREGATE_HANDLE(&handle);
    describe(s->near, s->far, iov);
    CHECK_EQUAL(ARMCI_NbPutV(iov, 2, right_of(me), way == 0 ? NULL : &handle), 0);
    CHECK_EQUAL(way == 0 ? ARMCI_WaitProc(right_of(me)) : ARMCI_Wait(&handle), 0);
    check_scattered(s);
    strike(s);
  }
}

static void empty_descriptors_move_nothing(void) {
  stage* s = set_stage();
  armci_giov_t iov[2] = {{s->near, s->far, 0, count}, {NULL, NULL, 8, 0}};
  CHECK_EQUAL(ARMCI_PutV(iov, 2, right_of(me)), 0);
  CHECK_EQUAL(ARMCI_PutV(iov, 0, right_of(me)), 0);
  CHECK_EQUAL(ARMCI_GetV(NULL, 0, right_of(me)), 0);
  ARMCI_Barrier();
  CHECK_EQUAL(*(double*)mine(s->p), me * 10000);
  strike(s);
}

static void segments_may_be_my_own_private_memory(void) {
  int from[3] = {1, 2, 3}, to[3] = {0, 0, 0};
  void *sources[3] = {from, from + 1, from + 2}, *targets[3] = {to + 2, to + 1, to};
  armci_giov_t iov = {sources, targets, sizeof(int), 3};
  CHECK_EQUAL(ARMCI_PutV(&iov, 1, me), 0);
  CHECK(to[0] == 3 && to[1] == 2 && to[2] == 1);
}

static void segments_may_be_of_both_kinds_of_my_memory(void) {
  pieces p = make_pieces(2 * sizeof(int));
  int* shared = mine(p);
  int from[4] = {1, 2, 3, 4}, to[2] = {0, 0};
  void* sources[4] = {from, from + 1, from + 2, from + 3};
  void* targets[4] = {to, shared, to + 1, shared + 1};
  armci_giov_t put = {sources, targets, sizeof(int), 4};
  CHECK_EQUAL(ARMCI_PutV(&put, 1, me), 0);
  CHECK(to[0] == 1 && shared[0] == 2 && to[1] == 3 && shared[1] == 4);
  memset(from, 0, sizeof from);
  armci_giov_t get = {targets, sources, sizeof(int), 4};
  CHECK_EQUAL(ARMCI_GetV(&get, 1, me), 0);
  for (int i = 0; i < 4; ++i) CHECK_EQUAL(from[i], i + 1);
  drop(p);
}

static void no_segments_are_for_a_process_too(void) {
  armci_giov_t none = {NULL, NULL, 8, 0};
  armci_hdl_t handle = {0, 0};
  double one = 1;
  for (int wrong = -1; wrong <= nproc; wrong += nproc + 1) {
    CHECK_EQUAL(ARMCI_PutV(&none, 1, wrong), -5);
    CHECK_EQUAL(ARMCI_GetV(&none, 1, wrong), -5);
    CHECK_EQUAL(ARMCI_NbPutV(&none, 1, wrong, &handle), -5);
    CHECK_EQUAL(ARMCI_NbGetV(&none, 1, wrong, &handle), -5);
    CHECK_EQUAL(ARMCI_AccV(ARMCI_ACC_DBL, &one, &none, 1, wrong), -5);
    CHECK_EQUAL(ARMCI_AccV(ARMCI_ACC_RA, NULL, &none, 1, wrong), -5);
  }
}

const test_case vector_tests[] = {
    {"vector get gathers", get_gathers},
    {"vector put scatters", put_scatters},
    {"vector get gathers without blocking", get_gathers_without_blocking},
    {"vector put scatters without blocking", put_scatters_without_blocking},
    {"empty descriptors move nothing", empty_descriptors_move_nothing},
    {"segments may be my own private memory", segments_may_be_my_own_private_memory},
    {"segments may be of both kinds of my memory", segments_may_be_of_both_kinds_of_my_memory},
    {"no segments are for a process, too", no_segments_are_for_a_process_too},
    {NULL, NULL},
};
