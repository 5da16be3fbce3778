#include "harness.h"

enum { count = 1000 };

static void explicit_handles_complete_one_by_one(void) {
  pieces p = make_pieces(count * sizeof(int));
  int from[count];
  armci_hdl_t handles[count];
  memset(handles, 0, sizeof handles);
  int* to = p.at[right_of(me)];
  for (int i = 0; i < count; ++i) {
    from[i] = me * count + i;
    CHECK_EQUAL(ARMCI_NbPut(&from[i], to + i, sizeof(int), right_of(me), &handles[i]), 0);
  }
  for (int i = count; i-- > 0;) CHECK_EQUAL(ARMCI_Wait(&handles[i]), 0);
  ARMCI_Barrier();
  const int* own = mine(p);
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += own[i] != left_of(me) * count + i;
  CHECK_EQUAL(wrong, 0);
  drop(p);
}

static void one_handle_stands_for_many_transfers(void) {
  pieces p = make_pieces(count * sizeof(int));
  for (int i = 0; i < count; ++i) ((int*)mine(p))[i] = me * count + i;
  ARMCI_Barrier();
  int got[count];
  memset(got, 0, sizeof got);
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  int* from = p.at[right_of(me)];
  for (int i = 0; i < count; ++i)
    CHECK_EQUAL(ARMCI_NbGet(from + i, got + i, sizeof(int), right_of(me), &handle), 0);
  CHECK_EQUAL(ARMCI_Wait(&handle), 0);
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += got[i] != right_of(me) * count + i;
  CHECK_EQUAL(wrong, 0);
  CHECK_EQUAL(ARMCI_Wait(&handle), 0); /* nothing is left to wait for */
  drop(p);
}

static void implicit_handles_complete_together(void) {
  pieces p = make_pieces((size_t)nproc * sizeof(int));
  int from = me + 1, got[64];
  for (int proc = 0; proc < nproc; ++proc)
    CHECK_EQUAL(ARMCI_NbPut(&from, (int*)p.at[proc] + me, sizeof from, proc, NULL), 0);
  CHECK_EQUAL(ARMCI_WaitAll(), 0);
  ARMCI_Barrier();
  for (int proc = 0; proc < nproc; ++proc) CHECK_EQUAL(((int*)mine(p))[proc], proc + 1);
  for (int proc = 0; proc < nproc; ++proc)
    CHECK_EQUAL(ARMCI_NbGet((int*)p.at[proc] + me, got + proc, sizeof(int), proc, NULL), 0);
  for (int proc = 0; proc < nproc; ++proc) {
    CHECK_EQUAL(ARMCI_WaitProc(proc), 0);
    CHECK_EQUAL(got[proc], me + 1);
  }
  drop(p);
}

static void test_says_zero_once_the_transfer_is_complete(void) {
  pieces p = make_pieces(sizeof(int));
  int from = 5;
  armci_hdl_t handle = {0, 0};
  CHECK_EQUAL(ARMCI_Test(&handle), 0);
  CHECK_EQUAL(ARMCI_NbPut(&from, p.at[right_of(me)], sizeof from, right_of(me), &handle), 0);
  while (ARMCI_Test(&handle) == 1) continue;
  CHECK_EQUAL(ARMCI_Test(&handle), 0);
  ARMCI_Barrier();
  CHECK_EQUAL(*(int*)mine(p), 5);
  drop(p);
}

static void an_aggregate_handle_gathers_transfers_of_all_kinds(void) {
  pieces p = make_pieces(8 * sizeof(double));
  double from[8] = {1, 2, 3, 4, 5, 6, 7, 8}, one = 1;
  double* to = p.at[right_of(me)];
  void *source[1] = {&from[6]}, *target[1] = {&to[6]};
  armci_giov_t iov = {source, target, sizeof(double), 1};
  int stride[1] = {2 * sizeof(double)}, counts[2] = {sizeof(double), 2};
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  for (int round = 0; round < 3; ++round) {
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    const int proc = right_of(me);
    CHECK_EQUAL(ARMCI_NbPut(from, to, 2 * sizeof(double), proc, &handle), 0);
    CHECK_EQUAL(ARMCI_NbPutS(from + 2, stride, to + 2, stride, counts, 1, proc, &handle), 0);
    CHECK_EQUAL(ARMCI_NbPutV(&iov, 1, proc, &handle), 0);
    CHECK_EQUAL(ARMCI_NbPutValueDouble(9, to + 5, proc, &handle), 0);
    CHECK_EQUAL(ARMCI_NbAcc(ARMCI_ACC_DBL, &one, from + 7, to + 7, sizeof(double), proc, &handle),
                0);
    CHECK_EQUAL(ARMCI_Wait(&handle), 0);
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
  }
  ARMCI_Barrier();
  static const double wanted[8] = {1, 2, 3, 0, 5, 9, 7, 24};
  CHECK(memcmp(mine(p), wanted, sizeof wanted) == 0);
  drop(p);
}

static void within_a_node_nothing_is_left_to_wait_for(void) {
  const int proc = right_of(me);
  pieces p = make_pieces(2 * sizeof(double));
  double from[2] = {1, 2}, one = 1;
  int stride[1] = {sizeof(double)}, counts[2] = {sizeof(double), 2};
  for (int aggregate = 0; aggregate < 2 && ARMCI_Same_node(proc); ++aggregate) {
    armci_hdl_t handle = {0, aggregate};
    CHECK_EQUAL(ARMCI_NbPut(from, p.at[proc], sizeof from, proc, &handle), 0);
    CHECK_EQUAL(ARMCI_NbGet(p.at[proc], from, sizeof from, proc, &handle), 0);
    CHECK_EQUAL(ARMCI_NbAcc(ARMCI_ACC_DBL, &one, from, p.at[proc], sizeof from, proc, &handle), 0);
    CHECK_EQUAL(ARMCI_NbPutS(from, stride, p.at[proc], stride, counts, 1, proc, &handle), 0);
    CHECK_EQUAL(handle.target, 0);
  }
  drop(p);
}

static void an_aggregate_handle_gathers_gets(void) {
  pieces p = make_pieces(count * sizeof(int));
  for (int i = 0; i < count; ++i) ((int*)mine(p))[i] = me * count + i;
  ARMCI_Barrier();
  int got[count];
  armci_hdl_t handle = {0, 0};
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  for (int i = 0; i < count; ++i) /* every other, backwards */
    CHECK_EQUAL(ARMCI_NbGet((int*)p.at[right_of(me)] + (count - 1 - i), got + i, sizeof(int),
                            right_of(me), &handle),
                0);
  CHECK_EQUAL(ARMCI_Wait(&handle), 0);
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += got[i] != right_of(me) * count + count - 1 - i;
  CHECK_EQUAL(wrong, 0);
  drop(p);
}

static void an_aggregate_handle_may_go_on_to_another_process(void) {
  pieces p = make_pieces((size_t)nproc * sizeof(int));
  int from = me + 1;
  armci_hdl_t handle = {0, 0};
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  for (int proc = 0; proc < nproc; ++proc)
    CHECK_EQUAL(ARMCI_NbPut(&from, (int*)p.at[proc] + me, sizeof from, proc, &handle), 0);
  CHECK_EQUAL(ARMCI_Wait(&handle), 0);
  ARMCI_Barrier();
  for (int proc = 0; proc < nproc; ++proc) CHECK_EQUAL(((int*)mine(p))[proc], proc + 1);
  drop(p);
}

static void wait_all_completes_explicit_handles_too(void) {
  pieces p = make_pieces(sizeof(int));
  int from = 8;
  armci_hdl_t single = {0, 0}, together = {0, 0};
  ARMCI_SET_AGGREGATE_HANDLE(&together);
  CHECK_EQUAL(ARMCI_NbPut(&from, p.at[right_of(me)], 2, right_of(me), &single), 0);
  CHECK_EQUAL(
      ARMCI_NbPut((char*)&from + 2, (char*)p.at[right_of(me)] + 2, 2, right_of(me), &together), 0);
  CHECK_EQUAL(ARMCI_WaitAll(), 0);
  CHECK_EQUAL(ARMCI_Wait(&together), 0);
  CHECK_EQUAL(ARMCI_Test(&single), 0);
  ARMCI_Barrier();
  CHECK_EQUAL(*(int*)mine(p), 8);
  drop(p);
}

static void fences_cover_what_an_aggregate_handle_has_gathered(void) {
  pieces p = make_pieces(3 * sizeof(int));
  int* to = p.at[right_of(me)];
  int from[3] = {5, 6, 7}, got[2] = {0, 0};
  armci_hdl_t handle = {0, 0};
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  CHECK_EQUAL(ARMCI_NbPut(&from[0], &to[0], sizeof(int), right_of(me), &handle), 0);
  ARMCI_Fence(right_of(me));
  CHECK_EQUAL(ARMCI_Get(&to[0], &got[0], sizeof(int), right_of(me)), 0);
  CHECK_EQUAL(got[0], 5);
  CHECK_EQUAL(ARMCI_NbPut(&from[1], &to[1], sizeof(int), right_of(me), &handle), 0);
  ARMCI_AllFence();
  CHECK_EQUAL(ARMCI_Get(&to[1], &got[1], sizeof(int), right_of(me)), 0);
  CHECK_EQUAL(got[1], 6);
  CHECK_EQUAL(ARMCI_NbPut(&from[2], &to[2], sizeof(int), right_of(me), &handle), 0);
  ARMCI_Barrier();
  CHECK_EQUAL(((int*)mine(p))[2], 7);
  CHECK_EQUAL(ARMCI_Wait(&handle), 0);
  drop(p);
}

/* More than leave together, by two handles in turn. */
static void put_by_two_handles(int* to, const int* from, armci_hdl_t* handles) {
  for (int i = 0; i < 3 * count; ++i)
    CHECK_EQUAL(
        ARMCI_NbPut((int*)from + i, to + i, sizeof(int), right_of(me), &handles[i % 7 == 0]), 0);
}

static void aggregate_handles_are_used_again_after_each_way_to_complete(void) {
  pieces p = make_pieces(3 * count * sizeof(int));
  int from[3 * count];
  armci_hdl_t handles[2] = {{0, 0}, {0, 0}};
  for (int h = 0; h < 2; ++h) ARMCI_SET_AGGREGATE_HANDLE(&handles[h]);
  for (int way = 0; way < 4; ++way) {
    for (int i = 0; i < 3 * count; ++i) from[i] = (way * nproc + me) * 3 * count + i;
    put_by_two_handles(p.at[right_of(me)], from, handles);
    for (int h = 0; h < 2 && way < 2; ++h) {
      if (way == 0) CHECK_EQUAL(ARMCI_Wait(&handles[h]), 0);
      while (way == 1 && ARMCI_Test(&handles[h]) != 0) {
      }
    }
    if (way == 2) CHECK_EQUAL(ARMCI_WaitProc(right_of(me)), 0);
    if (way == 3) CHECK_EQUAL(ARMCI_WaitAll(), 0);
    ARMCI_Barrier();
    int wrong = 0;
    for (int i = 0; i < 3 * count; ++i)
      wrong += ((int*)mine(p))[i] != (way * nproc + left_of(me)) * 3 * count + i;
    CHECK_EQUAL(wrong, 0);
    ARMCI_Barrier();
  }
  drop(p);
}

const test_case nonblocking_tests[] = {
    {"explicit handles complete one by one", explicit_handles_complete_one_by_one},
    {"one handle stands for many transfers", one_handle_stands_for_many_transfers},
    {"implicit handles complete together", implicit_handles_complete_together},
    {"test says zero once the transfer is complete", test_says_zero_once_the_transfer_is_complete},
    {"an aggregate handle gathers transfers of all kinds",
     an_aggregate_handle_gathers_transfers_of_all_kinds},
    {"within a node nothing is left to wait for", within_a_node_nothing_is_left_to_wait_for},
    {"an aggregate handle gathers gets", an_aggregate_handle_gathers_gets},
    {"an aggregate handle may go on to another process",
     an_aggregate_handle_may_go_on_to_another_process},
    {"wait all completes explicit handles too", wait_all_completes_explicit_handles_too},
    {"fences cover what an aggregate handle has gathered",
     fences_cover_what_an_aggregate_handle_has_gathered},
    {"aggregate handles are used again after each way to complete",
     aggregate_handles_are_used_again_after_each_way_to_complete},
    {NULL, NULL},
};
