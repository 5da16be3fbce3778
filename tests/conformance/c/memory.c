#include "harness.h"

static void sizes_may_differ_and_be_nothing(void) {
  void* at[64];
  const armci_size_t bytes = me % 2 ? 1000 * me : 0;
  CHECK_EQUAL(ARMCI_Malloc(at, bytes), 0);
  for (int proc = 0; proc < nproc; ++proc) CHECK_EQUAL(at[proc] != NULL, proc % 2);
  if (nproc > 1) {
    const long value = me;
    CHECK_EQUAL(ARMCI_Put((void*)&value, (char*)at[1] + 8 * me, sizeof value, 1), 0);
    ARMCI_Barrier();
    if (me == 1)
      for (int proc = 0; proc < nproc; ++proc) CHECK_EQUAL(((long*)at[1])[proc], proc);
  }
  CHECK_EQUAL(ARMCI_Free(at[me]), 0);
}

static void nothing_for_anybody_is_no_memory(void) {
  void* at[64];
  memset(at, 1, sizeof at);
  CHECK_EQUAL(ARMCI_Malloc(at, 0), 0);
  for (int proc = 0; proc < nproc; ++proc) CHECK(at[proc] == NULL);
  CHECK_EQUAL(ARMCI_Free(at[me]), 0);
}

static void allocating_and_freeing_for_long_does_not_grow(void) {
  void* first = NULL;
  for (int i = 0; i < 300; ++i) {
    void *a[64], *b[64];
    CHECK_EQUAL(ARMCI_Malloc(a, 100000), 0);
    CHECK_EQUAL(ARMCI_Malloc(b, 300), 0);
    if (i == 0) first = a[me];
    CHECK(labs((char*)a[me] - (char*)first) < 10000000);
    memset(a[me], i, 100000);
    CHECK_EQUAL(ARMCI_Free(a[me]), 0);
    CHECK_EQUAL(ARMCI_Free(b[me]), 0);
  }
}

static void memory_that_cannot_be_had_is_an_error_everywhere(void) {
  void* at[64];
  CHECK(ARMCI_Malloc(at, 1L << 60) != 0);
  CHECK(ARMCI_Malloc(at, me == 0 ? 1L << 60 : 8) != 0); /* one asks for too much, all fail */
  CHECK(ARMCI_Malloc_local(1L << 60) == NULL);
  pieces p = make_pieces(100); /* and there is still memory */
  drop(p);
}

static void a_wrong_argument_at_one_process_is_an_error_at_all(void) {
  void* at[64];
  CHECK(ARMCI_Malloc(me == 0 ? NULL : at, 8) != 0);
  CHECK(ARMCI_Malloc(at, me == nproc - 1 ? -1 : 8) != 0);
}

static void what_was_not_allocated_cannot_be_freed(void) {
  pieces p = make_pieces(64);
  int stack = 0;
  CHECK(ARMCI_Free(&stack) != 0);
  CHECK(ARMCI_Free((char*)mine(p) + 8) != 0);
  CHECK(ARMCI_Free_local(&stack) != 0);
  CHECK(ARMCI_Free_local(mine(p)) != 0);
  void* freed = mine(p);
  drop(p);
  CHECK(ARMCI_Free(freed) != 0);
}

static void local_memory_is_mine_and_others_may_reach_it(void) {
  int* local = ARMCI_Malloc_local(sizeof(int));
  CHECK(local != NULL);
  *local = me;
  void* at[64];
  at[me] = local;
  armci_exchange_address(at, nproc);
  CHECK_EQUAL(ARMCI_GetValueInt(at[right_of(me)], right_of(me)), right_of(me));
  ARMCI_Barrier();
  CHECK_EQUAL(ARMCI_Free_local(local), 0);
  CHECK(ARMCI_Malloc_local(0) == NULL);
  CHECK_EQUAL(ARMCI_Free_local(NULL), 0);
}

static void devices_are_accepted(void) {
  void* at[64];
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  CHECK_EQUAL(ARMCI_Malloc_memdev(at, 128, "dram"), 0);
  CHECK_EQUAL(ARMCI_Free_memdev(at[me]), 0);
  CHECK_EQUAL(ARMCI_Malloc_group_memdev(at, 128, &world, "nvm"), 0);
  CHECK_EQUAL(ARMCI_Free_memdev(at[me]), 0);
}

static void a_described_segment_is_reached_by_who_is_told(void) {
  armci_meminfo_t info;
  if (me == 0) {
    ARMCI_Memget(sizeof(int), &info, 0);
    *(int*)info.addr = 42;
  }
  armci_msg_brdcst(&info, sizeof info, 0);
  CHECK_EQUAL(info.cpid, 0);
  CHECK_EQUAL(info.size, sizeof(int));
  void* at = ARMCI_Memat(&info, 0);
  CHECK_EQUAL(ARMCI_GetValueInt(at, info.cpid), 42);
  ARMCI_Barrier();
  ARMCI_Memdt(&info, 0);
  ARMCI_Memctl(&info);
  CHECK(ARMCI_Memat(&info, 0) == NULL);
}

const test_case memory_tests[] = {
    {"sizes may differ and be nothing", sizes_may_differ_and_be_nothing},
    {"nothing for anybody is no memory", nothing_for_anybody_is_no_memory},
    {"allocating and freeing for long does not grow",
     allocating_and_freeing_for_long_does_not_grow},
    {"memory that cannot be had is an error everywhere",
     memory_that_cannot_be_had_is_an_error_everywhere},
    {"a wrong argument at one process is an error at all",
     a_wrong_argument_at_one_process_is_an_error_at_all},
    {"what was not allocated cannot be freed", what_was_not_allocated_cannot_be_freed},
    {"local memory is mine and others may reach it", local_memory_is_mine_and_others_may_reach_it},
    {"devices are accepted", devices_are_accepted},
    {"a described segment is reached by who is told",
     a_described_segment_is_reached_by_who_is_told},
    {NULL, NULL},
};
