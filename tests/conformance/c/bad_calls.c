/* The other calls with wrong arguments; and, as `--fatal` cases, those that cannot return a code.
 */
#include "harness.h"

static void value_puts_and_rmw(void) {
  pieces p = make_pieces(16);
  char* to = p.at[right_of(me)];
  int i = 5;
  long l = 6;
  CHECK_EQUAL(ARMCI_PutValueInt(1, NULL, 0), -1);
  CHECK_EQUAL(ARMCI_PutValueLong(1, to, -1), -5);
  CHECK_EQUAL(ARMCI_PutValueFloat(1, to, nproc), -5);
  CHECK_EQUAL(ARMCI_NbPutValueDouble(1, NULL, 0, NULL), -1);
  CHECK_EQUAL(ARMCI_NbPutValueInt(1, to, nproc, NULL), -5);
  CHECK_EQUAL(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, NULL, to, 1, right_of(me)), -1);
  CHECK_EQUAL(ARMCI_Rmw(ARMCI_SWAP, &i, NULL, 1, right_of(me)), -1);
  CHECK_EQUAL(ARMCI_Rmw(4, &i, to, 1, right_of(me)), -2);
  CHECK_EQUAL(ARMCI_Rmw(-1, &i, to, 1, right_of(me)), -2);
  CHECK_EQUAL(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &i, to, 1, -1), -5);
  CHECK_EQUAL(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &i, to, 1, nproc), -5);
  CHECK_EQUAL(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &i, to + 2, 1, right_of(me)), -6);
  CHECK_EQUAL(ARMCI_Rmw(ARMCI_SWAP_LONG, &l, to + 4, 1, right_of(me)), -6);
  CHECK_EQUAL(ARMCI_Rmw(ARMCI_SWAP_LONG, &l, &i, 1, right_of(me)), -6);
  CHECK(i == 5 && l == 6);
  ARMCI_Barrier();
  for (int k = 0; k < 16; ++k) CHECK_EQUAL(((char*)mine(p))[k], 0);
  drop(p);
}

static void handles(void) {
  CHECK_EQUAL(ARMCI_Wait(NULL), -1);
  CHECK_EQUAL(ARMCI_Test(NULL), -1);
  CHECK_EQUAL(ARMCI_WaitProc(-1), -5);
  CHECK_EQUAL(ARMCI_WaitProc(nproc), -5);
  armci_hdl_t stale = {123456, 0}; /* copied and waited for elsewhere */
  CHECK_EQUAL(ARMCI_Test(&stale), 0);
  CHECK_EQUAL(ARMCI_Wait(&stale), 0);
  ARMCI_INIT_HANDLE(NULL);
  ARMCI_SET_AGGREGATE_HANDLE(NULL);
  ARMCI_UNSET_AGGREGATE_HANDLE(NULL);
}

static void groups(void) {
  ARMCI_Group nothing, world, made;
  int number = -7;
  memset(&nothing, 0, sizeof nothing);
  ARMCI_Group_get_world(&world);
  CHECK(ARMCI_Group_rank(&nothing, &number) != 0);
  CHECK_EQUAL(ARMCI_Group_rank(&world, NULL), -1);
  CHECK_EQUAL(number, -7);
  CHECK_EQUAL(ARMCI_Absolute_id(&world, -1), -1);
  CHECK_EQUAL(ARMCI_Absolute_id(&world, nproc), -1);
  CHECK(ARMCI_Absolute_id(&nothing, 0) < 0);
  CHECK(ARMCIX_Group_split(&nothing, 0, 0, &made) != 0);
  CHECK_EQUAL(ARMCIX_Group_split(&world, 0, 0, NULL), -1);
  CHECK_EQUAL(ARMCIX_Group_dup(&world, NULL), -1);
  ARMCIX_Group_dup(&world, &made);
  ARMCI_Group copy = made;
  ARMCI_Group_free(&made);
  CHECK(ARMCI_Group_rank(&copy, &number) != 0); /* freed */
  void* at[64];
  CHECK(ARMCI_Malloc_group(at, 8, &nothing) != 0);
  CHECK(ARMCI_Free_group(at, &copy) != 0);
}

static void notification_and_mutexes(void) {
  CHECK_EQUAL(armci_notify(-1), -5);
  CHECK_EQUAL(armci_notify(nproc), -5);
  CHECK_EQUAL(armci_notify_wait(nproc, NULL), -5);
  CHECK(ARMCI_Create_mutexes(-1) != 0);
  CHECK(ARMCI_Destroy_mutexes() != 0);
  CHECK_EQUAL(ARMCIX_Destroy_mutexes_hdl(NULL), -1);
  ARMCI_Group nothing;
  memset(&nothing, 0, sizeof nothing);
  CHECK(ARMCIX_Create_mutexes_hdl(1, &nothing) == NULL);
}

static void copies_of_nothing(void) {
  int i = 5;
  ARMCI_Copy(NULL, &i, 4);
  ARMCI_Copy(&i, NULL, 4);
  ARMCI_Copy(&i, &i, -4);
  CHECK_EQUAL(i, 5);
  CHECK(ARMCI_Memat(NULL, 0) == NULL);
}

const test_case bad_call_tests[] = {
    {"value puts and read-modify-write with wrong arguments", value_puts_and_rmw},
    {"handles that are none", handles},
    {"groups that are none", groups},
    {"notification and mutexes with wrong arguments", notification_and_mutexes},
    {"copies of nothing", copies_of_nothing},
    {NULL, NULL},
};

/* -- what ends the job, with a message that names the call ------------------------------------- */

static void lock_nobody(void) { ARMCI_Lock(0, nproc); }
static void lock_without_set(void) { ARMCI_Lock(0, 0); }
static void unlock_unheld(void) {
  ARMCI_Create_mutexes(1);
  ARMCI_Unlock(0, 0);
}
static void fence_nobody(void) { ARMCI_Fence(-1); }
static void get_value_nowhere(void) { ARMCI_GetValueInt(NULL, 0); }
static void get_value_nobody(void) { ARMCI_GetValueDouble(&failures, nproc); }
static void gop_unknown_operation(void) {
  int x = 0;
  armci_msg_igop(&x, 1, "median");
}
static void gop_unprintable_operation(void) {
  static char op[4096]; /* not one zero */
  int x = 0;
  memset(op, 'x', sizeof op);
  memcpy(op, "mean\001\033[31m", 10);
  armci_msg_igop(&x, 1, op);
}
static void gop_endless_operation(void) {
  static char op[4096];
  int x = 0;
  memset(op, 'x', sizeof op);
  armci_msg_igop(&x, 1, op);
}
static void gop_bits_of_doubles(void) {
  double x = 0;
  armci_msg_dgop(&x, 1, "or");
}
static void gop_unknown_type(void) {
  int x = 0;
  armci_msg_gop_scope(SCOPE_ALL, &x, 1, "+", 17);
}
static void gop_unknown_scope(void) {
  int x = 0;
  armci_msg_gop_scope(5, &x, 1, "+", ARMCI_INT);
}
static void bcast_from_nobody(void) {
  int x = 0;
  armci_msg_bcast(&x, sizeof x, nproc);
}
static void send_to_nobody(void) { armci_msg_snd(1, "x", 1, nproc); }
static void receive_from_nobody(void) {
  char x;
  armci_msg_rcv(1, &x, 1, NULL, -1);
}
static void receive_too_long(void) {
  char x;
  armci_msg_snd(1, "long", 4, me);
  armci_msg_rcv(1, &x, 1, NULL, me);
}
static void group_of_strangers(void) {
  ARMCI_Group group;
  int ids[2] = {me, me};
  ARMCI_Group_create(2, ids, &group);
}
static void group_size_of_nothing(void) {
  ARMCI_Group nothing;
  int size;
  memset(&nothing, 0, sizeof nothing);
  ARMCI_Group_size(&nothing, &size);
}
static void walk_of_nothing(void) { armci_stride_info_init(NULL, NULL, 0, NULL, NULL); }
static void error_of_the_program(void) { ARMCI_Error("the program says so", 17); }
static void abort_by_message(void) { armci_msg_abort(4); }

const test_case fatal_cases[] = {
    {"ARMCI_Lock nobody", lock_nobody},
    {"ARMCI_Lock without set", lock_without_set},
    {"ARMCI_Unlock unheld", unlock_unheld},
    {"ARMCI_Fence nobody", fence_nobody},
    {"ARMCI_GetValueInt nowhere", get_value_nowhere},
    {"ARMCI_GetValueDouble nobody", get_value_nobody},
    {"armci_msg_igop unknown operation", gop_unknown_operation},
    {"armci_msg_igop unprintable operation", gop_unprintable_operation},
    {"armci_msg_igop endless operation", gop_endless_operation},
    {"armci_msg_dgop bits of doubles", gop_bits_of_doubles},
    {"armci_msg_gop_scope unknown type", gop_unknown_type},
    {"armci_msg_gop_scope unknown scope", gop_unknown_scope},
    {"armci_msg_bcast from nobody", bcast_from_nobody},
    {"armci_msg_snd to nobody", send_to_nobody},
    {"armci_msg_rcv from nobody", receive_from_nobody},
    {"armci_msg_rcv too long", receive_too_long},
    {"ARMCI_Group_create of one twice", group_of_strangers},
    {"ARMCI_Group_size of nothing", group_size_of_nothing},
    {"armci_stride_info_init of nothing", walk_of_nothing},
    {"the program says so", error_of_the_program},
    {"armci_msg_abort", abort_by_message},
    {NULL, NULL},
};
