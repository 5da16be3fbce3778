/* A rank counts in a library, whose variables are its own where the library is copied with the
 * program. */
#include <armci.h>
#include <armcix.h>
#include <message.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "library.h"

static char made_anew[4 * 4096];

static void leave_out(void) {
  int of_stack = 0;
  const void* last = made_anew + sizeof made_anew - 1;
  const size_t one = 1;
  memset(made_anew, 7, sizeof made_anew);
  job_need(ARMCIX_Checkpoint_skip(made_anew, sizeof made_anew) == 0, "to leave a variable out");
  job_need(ARMCIX_Checkpoint_keep(made_anew, sizeof made_anew) == 0, "to take it back");
  job_need(ARMCIX_Checkpoint_only(made_anew, sizeof made_anew, 1, &last, &one) == 0,
           "all but a byte");
  job_need(ARMCIX_Checkpoint_skip(&of_stack, sizeof of_stack) < 0, "a refusal of its stack");
}

/* Every process of a job that writes checkpoints has ended behind the first. */
static void look_at_it(void) {
  const char expected = getenv("ARMATURE_CHECKPOINT") != NULL ? 0 : 7;
  job_need(made_anew[2 * 4096] == expected, "what was left out is zero after a restart");
  job_need(made_anew[sizeof made_anew - 1] == 7, "what was not is there");
}

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
    if (round == 2) leave_out();
    if (round == 3) {
      job_stop(me);
      look_at_it();
    }
    job_need(library_count() == 7 + round, "a variable of the library");
    job_need(library_count_of_thread() == 8 + round, "a thread-local one of the library");
    job_need(library_named_here() == 10 * me, "one that the program names");
    job_need(*library_to_named == 10 * me, "a pointer to it");
    job_move(round);
  }
  job_count_areas(me, made_anew);
  job_well(me);
  ARMCI_Finalize();
  armci_msg_finalize();
  return 0;
}
