/* Visibility: order of puts to one process, fences, barriers, flags, notification. */
#include <sched.h>

#include "harness.h"

enum { count = 512, rounds = 300 };

/* Reads again and again until the value is there. */
static void wait_for(volatile int* flag, int value) {
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != value) {
    ARMCI_Poll(); /* lets the process that writes it run, where that is one of ours */
    sched_yield();
  }
}

static void blocking_puts_to_one_process_are_seen_in_order(void) {
  pieces p = make_pieces((count + 2) * sizeof(int));
  int* theirs = p.at[right_of(me)];
  int* own = mine(p);
  int data[count], wrong = 0;
  for (int round = 1; round <= rounds; ++round) {
    for (int i = 0; i < count; ++i) data[i] = round * count + i;
    ARMCI_Put(data, theirs, sizeof data, right_of(me));
    ARMCI_Put(&round, theirs + count, sizeof round, right_of(me)); /* the flag */
    wait_for(own + count, round);
    for (int i = 0; i < count; ++i) wrong += own[i] != round * count + i;
    /* Tell the sender that it may overwrite. */
    ARMCI_PutValueInt(round, (int*)p.at[left_of(me)] + count + 1, left_of(me));
    wait_for(own + count + 1, round);
  }
  CHECK_EQUAL(wrong, 0);
  drop(p);
}

static void the_flag_is_seen_after_the_data(void) {
  pieces p = make_pieces((count + 2) * sizeof(int));
  int* theirs = p.at[right_of(me)];
  int* own = mine(p);
  int data[count], wrong = 0, stride[1] = {2 * sizeof(int)}, counts[2] = {sizeof(int), count / 2};
  for (int round = 1; round <= rounds; ++round) {
    for (int i = 0; i < count; ++i) data[i] = round * count + i;
    if (round % 2) {
      CHECK_EQUAL(ARMCI_Put_flag(data, theirs, sizeof data, theirs + count, round, right_of(me)),
                  0);
    } else {
      CHECK_EQUAL(ARMCI_PutS_flag(data, stride, theirs, stride, counts, 1, theirs + count, round,
                                  right_of(me)),
                  0);
    }
    wait_for(own + count, round);
    for (int i = 0; i < count; i += 2) wrong += own[i] != round * count + i;
    ARMCI_PutValueInt(round, (int*)p.at[left_of(me)] + count + 1, left_of(me));
    wait_for(own + count + 1, round);
  }
  CHECK_EQUAL(wrong, 0);
  drop(p);
}

static void a_get_sees_my_earlier_put(void) {
  pieces p = make_pieces((size_t)nproc * sizeof(long));
  int wrong = 0;
  for (long round = 0; round < rounds; ++round)
    for (int proc = 0; proc < nproc; ++proc) {
      long got = -1;
      ARMCI_Put(&round, (long*)p.at[proc] + me, sizeof round, proc);
      ARMCI_Get((long*)p.at[proc] + me, &got, sizeof got, proc);
      wrong += got != round;
    }
  CHECK_EQUAL(wrong, 0);
  drop(p);
}

enum { shapes = 3, patch = 16, area = 40 };

static int place(int shape, int i) { return shape == 0 ? i : shape == 1 ? 2 * i : 8 + i; }

enum kind { putting, adding, getting };

/* A patch of the area at that process: in a row, every second element, or as scattered pieces. */
static int transfer(enum kind kind, int shape, long* patch_ints, long* there, int proc) {
  enum { bytes = sizeof(long) };
  int dense[1] = {bytes}, wide[1] = {2 * bytes}, counts[2] = {bytes, patch};
  long scale = 2;
  void *here[patch], *remote[patch];
  for (int i = 0; i < patch; ++i) here[i] = patch_ints + i, remote[i] = there + place(shape, i);
  const int gets = kind == getting;
  armci_giov_t pieces_of_it = {gets ? remote : here, gets ? here : remote, 0, 0};
  pieces_of_it.bytes = bytes;
  pieces_of_it.ptr_array_len = patch;
  if (shape == 0)
    return gets ? ARMCI_Get(there, patch_ints, patch * bytes, proc)
           : kind == adding
               ? ARMCI_Acc(ARMCI_ACC_LNG, &scale, patch_ints, there, patch * bytes, proc)
               : ARMCI_Put(patch_ints, there, patch * bytes, proc);
  if (shape == 1)
    return gets ? ARMCI_GetS(there, wide, patch_ints, dense, counts, 1, proc)
           : kind == adding
               ? ARMCI_AccS(ARMCI_ACC_LNG, &scale, patch_ints, dense, there, wide, counts, 1, proc)
               : ARMCI_PutS(patch_ints, dense, there, wide, counts, 1, proc);
  return gets             ? ARMCI_GetV(&pieces_of_it, 1, proc)
         : kind == adding ? ARMCI_AccV(ARMCI_ACC_LNG, &scale, &pieces_of_it, 1, proc)
                          : ARMCI_PutV(&pieces_of_it, 1, proc);
}

/* A put, additions of every shape over parts of it, a get, with no fence between them. */
static void transfers_of_all_shapes_are_seen_in_order(void) {
  pieces p = make_pieces(area * sizeof(long));
  const int to = right_of(me);
  int wrong = 0;
  for (int round = 0; round < 2 * shapes * shapes * shapes; ++round) {
    const int put = round % shapes, get = round / shapes % shapes, first = round / shapes / shapes;
    long model[area] = {0}, data[patch];
    memset(mine(p), 0, area * sizeof(long));
    ARMCI_Barrier();
    for (int i = 0; i < patch; ++i) model[place(put, i)] = data[i] = 1000 * me + round + i;
    CHECK_EQUAL(transfer(putting, put, data, p.at[to], to), 0);
    for (int i = 0; i < shapes; ++i) {
      const int shape = (first + i) % shapes;
      for (int k = 0; k < patch; ++k) data[k] = shape + k, model[place(shape, k)] += 2 * data[k];
      CHECK_EQUAL(transfer(adding, shape, data, p.at[to], to), 0);
    }
    CHECK_EQUAL(transfer(getting, get, data, p.at[to], to), 0);
    for (int i = 0; i < patch; ++i) wrong += data[i] != model[place(get, i)];
    ARMCI_Barrier();
  }
  CHECK_EQUAL(wrong, 0);
  drop(p);
}

static void after_fence_all_everyone_sees_my_puts(void) {
  pieces p = make_pieces((size_t)nproc * sizeof(int));
  for (int round = 1; round <= rounds; ++round) {
    for (int proc = 0; proc < nproc; ++proc)
      ARMCI_NbPut(&round, (int*)p.at[proc] + me, sizeof round, proc, NULL);
    ARMCI_WaitAll();
    ARMCI_AllFence();
    armci_msg_barrier();
    const int* own = mine(p);
    int wrong = 0;
    for (int proc = 0; proc < nproc; ++proc) wrong += own[proc] != round;
    CHECK_EQUAL(wrong, 0);
    armci_msg_barrier();
  }
  drop(p);
}

/* A process of another node has no direct way to them. */
static void a_barrier_makes_plain_stores_visible(void) {
  pieces p = make_pieces(sizeof(int));
  const int right = right_of(me);
  const int shared = ARMCI_Same_node(right);
  int wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    *(int*)mine(p) = round + me;
    ARMCI_Barrier();
    const int seen = shared ? *(int*)p.at[right] : ARMCI_GetValueInt(p.at[right], right);
    wrong += seen != round + right;
    ARMCI_Barrier();
  }
  CHECK_EQUAL(wrong, 0);
  drop(p);
}

static void a_notification_comes_after_the_puts_before_it(void) {
  pieces p = make_pieces(count * sizeof(int));
  int data[count], wrong = 0;
  const int* own = mine(p);
  for (int round = 1; round <= rounds; ++round) {
    for (int i = 0; i < count; ++i) data[i] = round + i;
    ARMCI_Put(data, p.at[right_of(me)], sizeof data, right_of(me));
    const int sent = armci_notify(right_of(me));
    int taken = -1;
    const int waited = armci_notify_wait(left_of(me), &taken);
    CHECK(sent > 0 && waited > 0 && taken == waited);
    for (int i = 0; i < count; ++i) wrong += own[i] != round + i;
    ARMCI_Barrier();
  }
  CHECK_EQUAL(wrong, 0);
  drop(p);
}

static void each_notification_is_counted_once(void) {
  int before = 0, taken = 0;
  if (nproc == 1) return;
  armci_notify(right_of(me));
  armci_notify_wait(left_of(me), &before);
  for (int i = 0; i < 5; ++i) armci_notify(right_of(me));
  for (int i = 1; i <= 5; ++i) {
    CHECK_EQUAL(armci_notify_wait(left_of(me), NULL), before + i);
  }
  armci_notify(right_of(me));
  CHECK_EQUAL(armci_notify_wait(left_of(me), &taken), before + 6);
  CHECK_EQUAL(taken, before + 6);
}

const test_case order_tests[] = {
    {"blocking puts to one process are seen in order",
     blocking_puts_to_one_process_are_seen_in_order},
    {"the flag is seen after the data", the_flag_is_seen_after_the_data},
    {"a get sees my earlier put", a_get_sees_my_earlier_put},
    {"transfers of all shapes are seen in order", transfers_of_all_shapes_are_seen_in_order},
    {"after fence all everyone sees my puts", after_fence_all_everyone_sees_my_puts},
    {"a barrier makes plain stores visible", a_barrier_makes_plain_stores_visible},
    {"a notification comes after the puts before it",
     a_notification_comes_after_the_puts_before_it},
    {"each notification is counted once", each_notification_is_counted_once},
    {NULL, NULL},
};
