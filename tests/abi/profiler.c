/* A profiler takes the place of a call by defining it, and calls the twin: as here ARMCI_Put. */
#include <armci.h>
#include <stdio.h>

static int puts_seen;

int ARMCI_Put(void* src, void* dst, int bytes, int proc) {
  ++puts_seen;
  return PARMCI_Put(src, dst, bytes, proc);
}

int main(void) {
  void* at[64];
  int value = 3;
  ARMCI_Init();
  const int me = armci_msg_me(), next = (me + 1) % armci_msg_nproc();
  ARMCI_Malloc(at, sizeof value);
  for (int i = 0; i < 3; ++i) ARMCI_Put(&value, at[next], sizeof value, next);
  ARMCI_Put_flag(&value, at[next], sizeof value, at[next], 4, next); /* not through ARMCI_Put */
  ARMCI_Barrier();
  const int right = puts_seen == 3 && *(int*)at[me] == 4;
  ARMCI_Barrier();
  ARMCI_Free(at[me]);
  ARMCI_Finalize();
  puts(right ? "counted" : "missed");
  return !right;
}
