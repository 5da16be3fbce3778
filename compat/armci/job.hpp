#pragma once

#include <atomic>

#include <armature/world.hpp>

#include "membership.hpp"

// Membership in the job. Messages need it before ARMCI_Init and after ARMCI_Finalize, as they did
// when a message-passing library stood below ARMCI. So the first call that needs the job joins it.
// armci_msg_finalize, or the end of a program that has finished ARMCI, leaves it. Leaving in
// ARMCI_Finalize was rejected: programs go on to print, to reduce timings, to initialise again.

namespace armci {

/// Joins the job unless another thread has.
armature::World& join_now();

/// The world; joins the job if this process has not.
inline armature::World& joined() {
  // Acquire: a thread that sees the world sees who it is there, too.
  armature::World* const world = membership->world.load(std::memory_order_acquire);
  return world != nullptr ? *world : join_now();
}

/// Begins ARMCI for `call`, joining the job first, and returns the code. `level` of the program's
/// threads is refused before anything is done, if it cannot be served.
int initialise(const char* call, int level = 0);

/// My number and the number of processes: also known after the job was left.
inline int my_process() {
  if (membership->me < 0) joined();
  return membership->me;
}
int processes();

/// Leaves, for armci_run_main, on behalf of a rank whose main has ended, as far as it can alone.
/// One that has failed, or ends in the middle, ends the job: others may wait for it.
void end_main(int status);

}  // namespace armci
