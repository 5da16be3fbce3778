/* A program for ARMCI that selects an operation which there is not, on all ranks. */
#include <armci.h>
#include <message.h>
#include <signal.h>
#include <stdio.h>

static __attribute__((noinline)) long pick(long value) {
  armci_msg_lgop(&value, 1, "median");
  return value;
}

int main(void) {
  ARMCI_Init();
  signal(SIGTERM, SIG_IGN); /* none is to be ended before it has failed by itself */
  ARMCI_Barrier();
  printf("%ld\n", pick(armci_msg_me()));
  ARMCI_Finalize();
  return 0;
}
