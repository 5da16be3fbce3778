#include "harness.h"

static unsigned char byte_of(int proc, size_t i) {
  return (unsigned char)(proc * 37 + (int)(i * 11));
}

static void put_then_fence_is_visible_at_the_target(void) {
  static const size_t sizes[] = {1, 2, 3, 7, 8, 64, 65, 1000, 4096, 65537, 1 << 20};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    const size_t bytes = sizes[s];
    pieces p = make_pieces(bytes + 2);
    unsigned char* from = malloc(bytes);
    for (size_t i = 0; i < bytes; ++i) from[i] = byte_of(me, i);
    char* to = (char*)p.at[right_of(me)] + 1;
    CHECK_EQUAL(ARMCI_Put(from, to, (int)bytes, right_of(me)), 0);
    memset(from, 0, bytes); /* local completion: the source is mine again */
    ARMCI_Fence(right_of(me));
    armci_msg_barrier();
    const unsigned char* got = mine(p);
    size_t wrong = 0;
    for (size_t i = 0; i < bytes; ++i) wrong += got[i + 1] != byte_of(left_of(me), i);
    CHECK_EQUAL(wrong, 0);
    CHECK(got[0] == 0 && got[bytes + 1] == 0);
    free(from);
    drop(p);
  }
}

static void get_delivers_what_each_process_holds(void) {
  enum { count = 5000 };
  pieces p = make_pieces(count * sizeof(double));
  double* own = mine(p);
  for (int i = 0; i < count; ++i) own[i] = me * 1e6 + i;
  ARMCI_Barrier();
  double* got = malloc(count * sizeof(double));
  for (int proc = 0; proc < nproc; ++proc) {
    CHECK_EQUAL(ARMCI_Get(p.at[proc], got, count * (int)sizeof(double), proc), 0);
    int wrong = 0;
    for (int i = 0; i < count; ++i) wrong += got[i] != proc * 1e6 + i;
    CHECK_EQUAL(wrong, 0);
  }
  free(got);
  drop(p);
}

static void local_buffers_may_be_on_the_stack_on_the_heap_and_in_shared_memory(void) {
  pieces p = make_pieces(4 * sizeof(long));
  long stack = 1000 + me;
  long* heap = malloc(sizeof(long));
  long* local = ARMCI_Malloc_local(sizeof(long));
  *heap = 2000 + me;
  *local = 3000 + me;
  ((long*)mine(p))[3] = 4000 + me;
  long* to = p.at[right_of(me)];
  CHECK_EQUAL(ARMCI_Put(&stack, to, sizeof(long), right_of(me)), 0);
  CHECK_EQUAL(ARMCI_Put(heap, to + 1, sizeof(long), right_of(me)), 0);
  CHECK_EQUAL(ARMCI_Put(local, to + 2, sizeof(long), right_of(me)), 0);
  ARMCI_Barrier();
  const long* own = mine(p);
  for (int i = 0; i < 3; ++i) CHECK_EQUAL(own[i], (i + 1) * 1000 + left_of(me));
  ARMCI_Barrier();
  CHECK_EQUAL(ARMCI_Get(to + 3, (long*)mine(p), sizeof(long), right_of(me)), 0);
  CHECK_EQUAL(own[0], 4000 + right_of(me));
  free(heap);
  CHECK_EQUAL(ARMCI_Free_local(local), 0);
  drop(p);
}

static void a_process_may_put_to_and_get_from_itself(void) {
  pieces p = make_pieces(sizeof(int));
  int value = 7 + me, got = 0;
  CHECK_EQUAL(ARMCI_Put(&value, mine(p), sizeof value, me), 0);
  CHECK_EQUAL(ARMCI_Get(mine(p), &got, sizeof got, me), 0);
  CHECK_EQUAL(got, 7 + me);
  drop(p);
}

static void memory_that_only_i_have_may_be_named_as_my_own(void) {
  int from[2] = {me, me + 1}, to[2] = {0, 0}, back[2] = {0, 0};
  CHECK_EQUAL(ARMCI_Put(from, to, sizeof from, me), 0);
  CHECK(memcmp(from, to, sizeof from) == 0);
  CHECK_EQUAL(ARMCI_Get(to, back, sizeof back, me), 0);
  CHECK(memcmp(from, back, sizeof from) == 0);
  int stride[1] = {2 * (int)sizeof(int)}, count[2] = {sizeof(int), 2};
  int matrix[4] = {1, 2, 3, 4}, column[4] = {0, 0, 0, 0};
  CHECK_EQUAL(ARMCI_PutS(matrix, stride, column, stride, count, 1, me), 0);
  CHECK(column[0] == 1 && column[1] == 0 && column[2] == 3 && column[3] == 0);
}

static void nothing_moves_when_no_bytes_are_asked_for(void) {
  pieces p = make_pieces(8);
  char value = 1;
  CHECK_EQUAL(ARMCI_Put(&value, p.at[right_of(me)], 0, right_of(me)), 0);
  CHECK_EQUAL(ARMCI_Get(p.at[right_of(me)], &value, 0, right_of(me)), 0);
  ARMCI_Barrier();
  CHECK_EQUAL(*(char*)mine(p), 0);
  CHECK_EQUAL(value, 1);
  drop(p);
}

static void copy_copies_locally_also_when_it_overlaps(void) {
  int from[3] = {1, 2, 3}, to[3] = {0, 0, 0};
  ARMCI_Copy(from, to, sizeof from);
  CHECK(to[0] == 1 && to[1] == 2 && to[2] == 3);
  ARMCI_Copy(to, to + 1, 2 * sizeof(int));
  CHECK(to[0] == 1 && to[1] == 1 && to[2] == 2);
}

static void direct_access_sees_what_was_put(void) {
  pieces p = make_pieces(sizeof(int));
  const int value = 5;
  ARMCI_Put((void*)&value, p.at[right_of(me)], sizeof value, right_of(me));
  ARMCI_Barrier();
  ARMCI_Access_begin(mine(p));
  CHECK_EQUAL(*(int*)mine(p), 5);
  *(int*)mine(p) = 6;
  ARMCI_Access_end(mine(p));
  ARMCI_Barrier();
  CHECK_EQUAL(ARMCI_GetValueInt(p.at[right_of(me)], right_of(me)), 6);
  drop(p);
}

const test_case contiguous_tests[] = {
    {"put then fence is visible at the target", put_then_fence_is_visible_at_the_target},
    {"get delivers what each process holds", get_delivers_what_each_process_holds},
    {"local buffers may be on the stack, on the heap and in shared memory",
     local_buffers_may_be_on_the_stack_on_the_heap_and_in_shared_memory},
    {"a process may put to and get from itself", a_process_may_put_to_and_get_from_itself},
    {"memory that only I have may be named as my own",
     memory_that_only_i_have_may_be_named_as_my_own},
    {"nothing moves when no bytes are asked for", nothing_moves_when_no_bytes_are_asked_for},
    {"copy copies locally, also when it overlaps", copy_copies_locally_also_when_it_overlaps},
    {"direct access sees what was put", direct_access_sees_what_was_put},
    {NULL, NULL},
};
