#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include "base/runtime.hpp"
#include "checkpoint/folder.hpp"

namespace armature::checkpoints {

/// Calls `write`, for tests, in a process that dies before that one of the steps that folder.hpp
/// tells of. Returns whether it died, or was through before.
template <class Write>
bool dies_before(int step, Write&& write) {
  constexpr int died = 9;
  static int steps_left = -1;
  const pid_t child = fork();
  if (child == 0) {
    steps_left = step;
    base::state<StepHook>().before = [](const char* /*step*/) {
      if (steps_left-- == 0) _exit(died);
    };
    write();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) == died;
}

}  // namespace armature::checkpoints
