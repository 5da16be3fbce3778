/* A user's C program: each rank writes its number into its neighbour's memory. */
#include <armci.h>
#include <message.h>
#include <stdio.h>

int main(int argc, char** argv) {
  ARMCI_Init_args(&argc, &argv);
  int me = armci_msg_me();
  int ranks = armci_msg_nproc();
  void* pieces[64];
  ARMCI_Malloc(pieces, sizeof(int));
  ARMCI_Put(&me, pieces[(me + 1) % ranks], sizeof(int), (me + 1) % ranks);
  ARMCI_AllFence();
  ARMCI_Barrier();
  puts(*(int*)pieces[me] == (me + ranks - 1) % ranks ? "agrees" : "differs");
  ARMCI_Barrier();
  ARMCI_Free(pieces[me]);
  ARMCI_Finalize();
  return 0;
}
