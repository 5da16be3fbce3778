/* A program that passes messages by the names of mp3.h: MPI's where it is compiled with one, else
   ARMCI's own. It ends as old programs do that have too few processes: without ARMCI_Finalize. */
#include "mp3.h"

#include <stdio.h>
#include <stdlib.h>

#include "armci.h"

int main(int argc, char** argv) {
  int me, nproc;
  void* pieces[64];
  MP_INIT(argc, argv);
  MP_PROCS(&nproc);
  MP_MYID(&me);
  const double begun = MP_TIMER();
  if (ARMCI_INIT(argc, argv) != 0 || ARMCI_Malloc(pieces, sizeof(int)) != 0) return 1;
  MP_ASSERT(MP_BARRIER());
  ARMCI_PutValueInt(me, pieces[(me + 1) % nproc], (me + 1) % nproc);
  ARMCI_Barrier();
  const int right = *(int*)pieces[me] == (me + nproc - 1) % nproc && MP_TIMER() >= begun;
  int wrong = !right;
  armci_msg_igop(&wrong, 1, "+");
  if (me == 0 && wrong == 0) printf("everything is right\n");
  if (argc > 1) { /* "early" */
    ARMCI_Barrier();
    armci_msg_finalize();
    exit(wrong);
  }
  ARMCI_Free(pieces[me]);
  ARMCI_Finalize();
  MP_FINALIZE();
  return wrong;
}
