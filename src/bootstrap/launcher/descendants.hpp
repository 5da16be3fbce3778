#pragma once

#include <sys/types.h>

#include <vector>

namespace armature::bootstrap {

/// All processes below this one, children before their children. Orphans of ours are among them
/// where this process is a child subreaper.
std::vector<pid_t> descendants();

/// Kills and reaps all of them, also those that appear meanwhile; returns how many there were.
int kill_descendants();

}  // namespace armature::bootstrap
