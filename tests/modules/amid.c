/* A module of rank 0 begins operations and waits for them, again and again, while the rank's own
   part is amid calls that wait for room: requests of aggregate handles leave in a fence, in a
   barrier, because their list is full, and because the handle goes on with another process. Run
   with one operation under way at most, on a node for each process. */
#include <armcix.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>

enum { words = 4096, few = 40, many = 3000, rounds = 60 };

static void** theirs;
static long *mine, *of_module;
static int ends, module_rounds;

static void need(int holds, const char* what) {
  if (!holds) ARMCI_Error((char*)what, 1);
}

static long value(int proc, int i) { return proc * 1000000L + i; }

static void get(long* to, int proc, int i, armci_hdl_t* handle) {
  need(ARMCI_NbGet((long*)theirs[proc] + i, to + i, sizeof(long), proc, handle) == 0, "get");
}

static void begin_aggregate(armci_hdl_t* handle) {
  ARMCI_INIT_HANDLE(handle);
  ARMCI_SET_AGGREGATE_HANDLE(handle);
}

static void check(long* got, int proc, int from, int to) {
  for (int i = from; i < to; ++i) {
    need(got[i] == value(proc, i), "a word that was waited for is not there");
    got[i] = -1;
  }
}

/* In the module, which ends when the main part says so. */
static void disturb(void* argument, ARMCI_Group* own) {
  (void)argument;
  (void)own;
  for (module_rounds = 0; !ends; ++module_rounds) {
    armci_hdl_t handle;
    begin_aggregate(&handle);
    for (int i = 0; i < few; ++i) get(of_module, 1 + module_rounds % 2, i, &handle);
    if (module_rounds % 3 == 0) ARMCI_AllFence();
    if (module_rounds % 3 == 1) ARMCI_WaitAll();
    ARMCI_Wait(&handle);
    check(of_module, 1 + module_rounds % 2, 0, few);
  }
}

static void disturbed(void) {
  armci_hdl_t handle, single;
  begin_aggregate(&handle);
  ARMCI_INIT_HANDLE(&single);
  /* The one that there is room for; then those that leave in a fence. */
  get(mine, 1, words - 1, &single);
  for (int i = 0; i < few; ++i) get(mine, 1, i, &handle);
  ARMCI_Fence(1);
  /* The handle goes on with another process. */
  for (int i = few; i < 2 * few; ++i) get(mine, 2, i, &handle);
  ARMCI_AllFence();
  ARMCI_Wait(&handle);
  ARMCI_Wait(&single);
  check(mine, 1, words - 1, words);
  check(mine, 1, 0, few);
  check(mine, 2, few, 2 * few);
  /* More than a list has room for. */
  begin_aggregate(&handle);
  for (int i = 0; i < many; ++i) get(mine, 2, i, &handle);
  ARMCI_Wait(&handle);
  check(mine, 2, 0, many);
}

int main(int argc, char** argv) {
  int me;
  armcix_module_t module;
  need(ARMCI_Init_args(&argc, &argv) == 0, "init");
  me = armci_msg_me();
  need(armci_msg_nproc() == 3, "run it with three processes");
  theirs = calloc(3, sizeof *theirs);
  mine = calloc(words, sizeof *mine);
  of_module = calloc(words, sizeof *of_module);
  need(theirs != NULL && mine != NULL && of_module != NULL, "memory");
  need(ARMCI_Malloc(theirs, words * sizeof(long)) == 0, "shared memory");
  for (int i = 0; i < words; ++i) ((long*)theirs[me])[i] = value(me, i);
  module = ARMCIX_Module_start(disturb, NULL, NULL);
  ends = me != 0;
  ARMCI_Barrier();
  if (me == 0)
    for (int i = 0; i < rounds; ++i) disturbed();
  ends = 1;
  need(ARMCIX_Module_wait(module) == 0, "wait");
  if (me == 0) printf("amid: %d rounds of the module\n", module_rounds);
  ARMCI_Barrier();
  ARMCI_Free(theirs[me]);
  free(theirs);
  free(mine);
  free(of_module);
  ARMCI_Finalize();
  return 0;
}
