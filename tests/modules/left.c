/* A module that nobody waits for: its rank says so when it ends. */
#include <armcix.h>
#include <message.h>
#include <stddef.h>

static void compute(void* argument, ARMCI_Group* own) {
  (void)argument;
  armci_msg_group_barrier(own);
}

int main(int argc, char** argv) {
  ARMCI_Init_args(&argc, &argv);
  ARMCIX_Module_wait(ARMCIX_Module_start(compute, NULL, NULL));
  (void)ARMCIX_Module_start(compute, NULL, NULL);
  ARMCI_Finalize();
  return 0;
}
