/* Modules of a C program: two that do not know of each other compute with a group each, and are
   written in the middle of what they do.

     modules_of_c [STEPS EVERY PAUSE DIE_AT]

   EVERY steps the program writes a checkpoint (0: never), while both modules wait. At step DIE_AT
   the process of rank 0 is killed, unless the job has been restarted. PAUSE is not used. It prints
   one number, which must not depend on where its ranks ran and how often they were stopped. */
#include <armcix.h>
#include <message.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  long by, sum;
  int steps, done, allowed, members;
} part;

static void need(int holds, const char* what) {
  if (!holds) ARMCI_Error((char*)what, 1);
}

/* Collectives in the module's group: were they mixed with another's, the sums would be wrong. */
static void compute(void* argument, ARMCI_Group* own) {
  part* p = argument;
  char on_stack[32];
  int me, all;
  need(ARMCI_Group_rank(own, &me) == 0, "group");
  ARMCI_Group_size(own, &all);
  p->members = all;
  snprintf(on_stack, sizeof on_stack, "module %ld", p->by);
  for (p->done = 0; p->done < p->steps; ++p->done) {
    long one = p->by * (me + 1) + p->done;
    char again[32];
    while (p->allowed <= p->done) ARMCI_Poll(); /* the main part goes on */
    armci_msg_group_lgop(&one, 1, "+", own);
    need(one == p->by * all * (all + 1) / 2 + (long)all * p->done, "a sum of another module");
    p->sum = p->sum * 31 + one;
    snprintf(again, sizeof again, "module %ld", p->by);
    need(strcmp(on_stack, again) == 0, "the stack of a module");
  }
}

static void refused(void) {
  need(ARMCIX_Module_wait(NULL) == -1 && ARMCIX_Module_ended(NULL) == -1, "no module");
}

/* A module of some of the processes, which starts one of its own. */
static void count(void* argument, ARMCI_Group* own) {
  int all;
  armci_msg_group_barrier(own);
  ARMCI_Group_size(own, &all);
  *(int*)argument += all;
}
static void start_inner(void* argument, ARMCI_Group* own) {
  armcix_module_t inner = ARMCIX_Module_start(count, argument, own);
  armci_msg_group_barrier(own);
  need(ARMCIX_Module_wait(inner) == 0, "wait of the inner one");
}
static void nest(int me, int all) {
  ARMCI_Group world, half;
  int counted = 0, members = 0;
  armcix_module_t outer;
  ARMCI_Group_get_world(&world);
  need(ARMCIX_Group_split(&world, me % 2, me, &half) == 0, "split");
  outer = ARMCIX_Module_start(start_inner, &counted, &half);
  need(ARMCIX_Module_wait(outer) == 0, "wait");
  members = (all + 1 - me % 2) / 2;
  need(counted == members, "members of half");
  ARMCI_Group_free(&half);
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 30, every = argc > 2 ? atoi(argv[2]) : 0;
  const int die_at = argc > 4 ? atoi(argv[4]) : -1;
  part b = {.by = 3, .steps = steps}, c = {.by = 1000, .steps = steps};
  int me, all, step, was_restarted = 0;
  armcix_module_t first, second;
  need(ARMCI_Init_args(&argc, &argv) == 0, "init");
  me = armci_msg_me();
  all = armci_msg_nproc();
  refused();
  nest(me, all);
  first = ARMCIX_Module_start(compute, &b, NULL);
  second = ARMCIX_Module_start(compute, &c, NULL);
  need(ARMCIX_Module_ended(first) == 0 && b.done == 0, "it begins when its rank waits");
  for (step = 0; step < steps; ++step) {
    b.allowed = c.allowed = step + 1;
    armci_msg_barrier();
    if (every > 0 && step % every == every - 1) {
      const int answer = ARMCIX_Checkpoint(NULL);
      need(answer == 0 || answer == 1, "checkpoint");
      was_restarted |= answer;
    }
    if (step == die_at && !was_restarted && me == 0) raise(SIGKILL);
  }
  need(ARMCIX_Module_wait(second) == 0 && ARMCIX_Module_wait(first) == 0, "wait");
  need(b.done == steps && c.done == steps && b.members == all, "steps");
  if (me == 0) printf("result %lx\n", (unsigned long)(b.sum ^ c.sum << 1));
  fflush(stdout);
  ARMCI_Finalize();
  return 0;
}
