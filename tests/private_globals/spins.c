/* Ranks of a process wait for each other without a call of the library: each looks at its own
   memory until another one has written there, and gives the core away or sleeps between two looks.
 */
#include <armci.h>
#include <message.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

static volatile int* flags[64];

static void pause_in_way(int way) {
  const struct timespec shortly = {.tv_nsec = 1000};
  if (way == 0) sched_yield();
  if (way == 1) usleep(1);
  if (way == 2) nanosleep(&shortly, NULL);
  if (way == 3) sleep(0);
}

int main(void) {
  ARMCI_Init();
  const int me = armci_msg_me();
  const int ranks = armci_msg_nproc();
  ARMCI_Malloc((void**)flags, sizeof(int));
  for (int way = 0; way < 4; ++way) {
    flags[me][0] = 0;
    ARMCI_Barrier();
    /* Rank 0 waits for the last one, and each other rank for the one in front of it. */
    int one = 1;
    const int next = (me + 1) % ranks;
    if (me == ranks - 1) ARMCI_Put(&one, (void*)flags[next], sizeof one, next);
    while (flags[me][0] == 0) pause_in_way(way);
    if (me != ranks - 1) ARMCI_Put(&one, (void*)flags[next], sizeof one, next);
    ARMCI_AllFence();
    ARMCI_Barrier();
  }
  ARMCI_Free((void*)flags[me]);
  job_well(me);
  ARMCI_Finalize();
  return 0;
}
