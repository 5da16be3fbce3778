#pragma once

#include <sys/types.h>

namespace armature::bootstrap {

/// Makes the kernel kill this process when its launcher is gone, also where others stand between
/// the two and go on, and if it is gone already. `launcher_fd` ends a pipe that only the launcher
/// can write to; it is closed. -1: there is none.
void end_with_launcher(int launcher_fd, pid_t launcher);

}  // namespace armature::bootstrap
