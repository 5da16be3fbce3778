/* MPI_THREAD_MULTIPLE: threads of a process call at any time. Each test has a helper thread in
   every process beside the one that has joined the job. */
#include <pthread.h>

#include "harness.h"

enum { rounds = 50, tag_go = 71, tag_done = 72 };

typedef void* body(void* argument);

/* Runs both, the second on the thread that has joined the job, and returns when both have ended. */
static void side_by_side(body* helper, body* own, void* argument) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, helper, argument) != 0) ARMCI_Error("no thread", 1);
  own(argument);
  pthread_join(thread, NULL);
}

static int all_ranks_sum(void) { return nproc * (nproc - 1) / 2; }

static void make_all_kinds_of_collectives(void) {
  for (int round = 0; round < rounds; ++round) {
    int sum = me, told = me == 0 ? round : -1, rank = -1;
    void** at = calloc((size_t)nproc, sizeof *at);
    ARMCI_Group world, half;
    ARMCI_Barrier();
    armci_msg_igop(&sum, 1, "+");
    CHECK_EQUAL(sum, all_ranks_sum());
    armci_msg_bcast(&told, sizeof told, 0);
    CHECK_EQUAL(told, round);
    CHECK_EQUAL(ARMCI_Malloc(at, sizeof(long)), 0);
    const long value = 100 * round + me;
    CHECK_EQUAL(ARMCI_PutValueLong(value, at[right_of(me)], right_of(me)), 0);
    ARMCI_Barrier();
    CHECK_EQUAL(*(long*)at[me], 100 * round + left_of(me));
    ARMCI_Barrier();
    CHECK_EQUAL(ARMCI_Free(at[me]), 0);
    ARMCI_Group_get_world(&world);
    CHECK_EQUAL(ARMCIX_Group_split(&world, me % 2, me, &half), 0);
    CHECK_EQUAL(ARMCI_Group_rank(&half, &rank), 0);
    CHECK_EQUAL(rank, me / 2);
    armci_msg_group_barrier(&half);
    ARMCI_Group_free(&half);
    free(at);
  }
}

static void* collectives_and_then_a_message(void* unused) {
  int done = me;
  make_all_kinds_of_collectives();
  armci_msg_snd(tag_done, &done, sizeof done, right_of(me));
  return unused;
}

static void* wait_for_that_message(void* unused) {
  int done = -1, bytes = 0;
  armci_msg_rcv(tag_done, &done, sizeof done, &bytes, left_of(me));
  CHECK(done == left_of(me) && bytes == sizeof done);
  return unused;
}

static void collectives_run_while_the_own_thread_waits_for_a_message(void) {
  side_by_side(collectives_and_then_a_message, wait_for_that_message, NULL);
}

static void collectives_run_while_a_helper_waits_for_a_message(void) {
  side_by_side(wait_for_that_message, collectives_and_then_a_message, NULL);
}

/* Process 0 has locked the mutex, and gives it back when all have made their collectives. */
static void* collectives_and_then_unlock(void* unused) {
  make_all_kinds_of_collectives();
  ARMCI_Barrier();
  if (me == 0) ARMCI_Unlock(0, 0);
  return unused;
}

static void* wait_for_the_lock(void* unused) {
  if (me == 0) return unused;
  ARMCI_Lock(0, 0);
  ARMCI_Unlock(0, 0);
  return unused;
}

static void collectives_run_while_the_own_thread_waits_for_a_lock(void) {
  CHECK_EQUAL(ARMCI_Create_mutexes(me == 0 ? 1 : 0), 0);
  if (me == 0) ARMCI_Lock(0, 0);
  ARMCI_Barrier();
  side_by_side(collectives_and_then_unlock, wait_for_the_lock, NULL);
  ARMCI_Barrier();
  CHECK_EQUAL(ARMCI_Destroy_mutexes(), 0);
}

static void* notify_the_right_one(void* unused) {
  for (int i = 0; i < 20 * rounds; ++i) CHECK(armci_notify(right_of(me)) > 0);
  return unused;
}

static void* notify_and_wait(void* unused) {
  notify_the_right_one(unused);
  int last = 0;
  for (int i = 0; i < 20 * rounds; ++i) CHECK((last = armci_notify_wait(left_of(me), NULL)) > 0);
  return unused;
}

static void* notify_is_waited_for(void* unused) {
  for (int i = 0; i < 20 * rounds; ++i) CHECK(armci_notify_wait(left_of(me), NULL) > 0);
  return unused;
}

/* Four threads, none of which is lost or counted twice: else a wait never ends, or one is left. */
static void every_notification_of_two_threads_counts(void) {
  pthread_t other;
  const int before = armci_notify(right_of(me));
  CHECK_EQUAL(armci_notify_wait(left_of(me), NULL), before);
  if (pthread_create(&other, NULL, notify_is_waited_for, NULL) != 0) ARMCI_Error("no thread", 1);
  side_by_side(notify_the_right_one, notify_and_wait, NULL);
  pthread_join(other, NULL);
  CHECK_EQUAL(armci_notify(right_of(me)), before + 40 * rounds + 1);
  CHECK_EQUAL(armci_notify_wait(left_of(me), NULL), before + 40 * rounds + 1);
}

/* Each thread has a part of every piece. */
typedef struct {
  pieces to;
  int first;
} part;

static void* transfer_a_part(void* argument) {
  const part* of = argument;
  const int to = right_of(me);
  long* const there = (long*)of->to.at[to] + of->first;
  for (long round = 0; round < rounds; ++round) {
    long sent[64], back[64];
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    for (long i = 0; i < 64; ++i) sent[i] = 1000 * round + of->first + i;
    for (long i = 0; i < 64; ++i)
      CHECK_EQUAL(ARMCI_NbPut(&sent[i], &there[i], sizeof sent[i], to, &handle), 0);
    CHECK_EQUAL(ARMCI_Wait(&handle), 0);
    CHECK_EQUAL(ARMCI_NbPut(sent, there, sizeof sent, to, NULL), 0);
    CHECK_EQUAL(ARMCI_WaitAll(), 0);
    ARMCI_Fence(to);
    CHECK_EQUAL(ARMCI_Get(there, back, sizeof back, to), 0);
    CHECK(memcmp(sent, back, sizeof sent) == 0);
  }
  return argument;
}

static void* transfer_the_second_part(void* argument) {
  part second = {((part*)argument)->to, 64};
  transfer_a_part(&second);
  return argument;
}

static void transfers_with_and_without_handles_do_not_disturb_each_other(void) {
  part first = {make_pieces(128 * sizeof(long)), 0};
  side_by_side(transfer_the_second_part, transfer_a_part, &first);
  drop(first.to);
}

/* Several requests stand behind each handle, long ones among them. The handle is waited for or
   tested, and the other thread completes all meanwhile. */
static void* put_with_handles(void* argument) {
  const part* of = argument;
  const int to = right_of(me);
  long* const there = (long*)of->to.at[to];
  for (long round = 0; round < rounds; ++round) {
    static long sent[3 * 4096], back[3 * 4096];
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    if (round % 3 == 2) ARMCI_SET_AGGREGATE_HANDLE(&handle);
    for (long i = 0; i < 3 * 4096; ++i) sent[i] = 1000 * round + i;
    for (long i = 0; i < 3; ++i)
      CHECK_EQUAL(ARMCI_NbPut(sent + 4096 * i, there + 4096 * i, 4096 * sizeof(long), to, &handle),
                  0);
    if (round % 3 == 1)
      while (ARMCI_Test(&handle) != 0) continue;
    else
      CHECK_EQUAL(ARMCI_Wait(&handle), 0);
    memset(sent, 0xee, sizeof sent);
    ARMCI_Fence(to);
    CHECK_EQUAL(ARMCI_Get(there, back, sizeof back, to), 0);
    for (long i = 0; i < 3 * 4096; i += 511) CHECK_EQUAL(back[i], 1000 * round + i);
  }
  return argument;
}

static void* wait_for_all_again_and_again(void* unused) {
  for (int i = 0; i < 20 * rounds; ++i) {
    CHECK_EQUAL(ARMCI_WaitAll(), 0);
    CHECK_EQUAL(ARMCI_WaitProc(right_of(me)), 0);
  }
  return unused;
}

static void one_thread_completes_what_the_other_waits_for(void) {
  part all = {make_pieces(3 * 4096 * sizeof(long)), 0};
  side_by_side(put_with_handles, wait_for_all_again_and_again, &all);
  side_by_side(wait_for_all_again_and_again, put_with_handles, &all);
  drop(all.to);
}

static void* send_far(void* unused) {
  for (int i = 0; i < rounds; ++i) armci_msg_snd(tag_go, &i, sizeof i, right_of(me));
  return unused;
}

static void* receive_while_reducing(void* unused) {
  for (int i = 0; i < rounds; ++i) {
    double many[3000];
    for (int k = 0; k < 3000; ++k) many[k] = me;
    armci_msg_dgop(many, 3000, "+");
    CHECK_EQUAL(many[2999], all_ranks_sum());
    int got = -1, bytes = 0;
    armci_msg_rcv(tag_go, &got, sizeof got, &bytes, left_of(me));
    CHECK_EQUAL(got, i);
  }
  return unused;
}

static void messages_go_beside_reductions(void) {
  side_by_side(send_far, receive_while_reducing, NULL);
}

const test_case thread_tests[] = {
    {"collectives run while the own thread waits for a message",
     collectives_run_while_the_own_thread_waits_for_a_message},
    {"collectives run while a helper waits for a message",
     collectives_run_while_a_helper_waits_for_a_message},
    {"collectives run while the own thread waits for a lock",
     collectives_run_while_the_own_thread_waits_for_a_lock},
    {"every notification of two threads counts", every_notification_of_two_threads_counts},
    {"transfers with and without handles do not disturb each other",
     transfers_with_and_without_handles_do_not_disturb_each_other},
    {"one thread completes what the other waits for",
     one_thread_completes_what_the_other_waits_for},
    {"messages go beside reductions", messages_go_beside_reductions},
    {NULL, NULL},
};
