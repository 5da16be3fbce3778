/* A rank counts in a library, whose variables are its own where the library is copied with the
 * program. */
#include <armci.h>
#include <message.h>

#include "job.h"
#include "library.h"

int main(int argc, char** argv) {
  ARMCI_Init();
  (void)argc;
  (void)argv;
  const int me = armci_msg_me();
  job_need(library_constructed() == 1, "the library's constructor has run once");
  job_need(!library_function_is_left(), "what the constructor has written");
  library_named = 10 * me;
  library_note(me);
  for (int round = 0; round < 6; ++round) {
    if (round == 3) job_stop(me);
    job_need(library_count() == 7 + round, "a variable of the library");
    job_need(library_count_of_thread() == 8 + round, "a thread-local one of the library");
    job_need(library_named_here() == 10 * me, "one that the program names");
    job_need(*library_to_named == 10 * me, "a pointer to it");
    job_move(round);
  }
  job_well(me);
  ARMCI_Finalize();
  armci_msg_finalize();
  return 0;
}
