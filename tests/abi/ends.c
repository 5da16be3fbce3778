/* How the main of a rank may end: `program -e HOW`, or without -e where ranks are threads, which
   may not use getopt; of which rank 1 does what is asked for, the others return. Nothing is
   returned in so many words where C needs none. */
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void leave(void) { exit(0); }

int main(int argc, char** argv) {
  const char* how = argc == 2 ? argv[1] : "";
  for (int option; (option = getopt(argc, argv, "e:")) != -1;) how = optarg;
  if (strcmp(how, "usage") == 0) return 7;
  ARMCI_Init_args(&argc, &argv);
  const int me = armci_msg_me();
  argv[0][0] = (char)('a' + me); /* the rank's own */
  armci_msg_barrier();
  if (argv[0][0] != 'a' + me) ARMCI_Error("arguments are shared", 9);
  if (me == 1 && strcmp(how, "early") == 0) return 5;
  if (me == 1 && strcmp(how, "early_exit") == 0) exit(0);
  ARMCI_Finalize();
  if (strcmp(how, "message_layer") == 0) armci_msg_finalize();
  if (me == 0) printf("rank 0 of %d is through\n", armci_msg_nproc());
  if (me == 1 && strcmp(how, "status") == 0) return 5;
  if (me == 1 && strcmp(how, "exit") == 0) exit(6);
  if (strcmp(how, "all_exit") == 0) leave();
}
