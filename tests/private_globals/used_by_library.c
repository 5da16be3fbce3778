/* A program with a variable and a function that a library uses, with which it is linked. */
#include <armci.h>

#include "job.h"
#include "library.h"

int library_named = 3;
int library_named_here(void) { return library_named; }

int main(void) {
  ARMCI_Init();
  const int me = armci_msg_me();
  library_named = 10 + me;
  armci_msg_barrier();
  job_need(library_count() == 10 + me, "a function of the program");
  job_need(library_to_named == &library_named, "a variable of the program");
  job_well(me);
  ARMCI_Finalize();
  return 0;
}
