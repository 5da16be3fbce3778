/* A program that a debugger stops: each rank has another value of `number`. */
#include <armci.h>
#include <stdio.h>
#include <unistd.h>

int number = 5;
static int rounds;
int stops_here(int rank);
__attribute__((noinline)) int stops_here(int rank) { return number + rank + ++rounds; }

int main(void) {
  ARMCI_Init();
  const int rank = armci_msg_me();
  number = 100 + rank;
  armci_msg_barrier();
  if (rank == 0) puts("ready");
  fflush(stdout);
  int sum = 0;
  for (int i = 0; i < 1200; ++i) {
    sum += stops_here(rank);
    usleep(50000);
    armci_msg_barrier();
  }
  ARMCI_Finalize();
  return sum == 0;
}
