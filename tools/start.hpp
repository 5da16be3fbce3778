#pragma once

#include "bootstrap/launcher/launch.hpp"
#include "virtual/checkpoint/folder.hpp"

namespace armature::tools {

/// Makes them those of a job that goes on from that checkpoint in options.checkpoint_directory.
void go_on_from(bootstrap::LaunchOptions& options, const checkpoints::Found& found);

/// Runs the job, on this machine or on its hosts, and returns its exit status. A job of several
/// nodes that is to recover (--on-death recover) is started once more from its last checkpoint when
/// processes were killed, on the hosts that are left; one that is to have more processes or fewer,
/// from what it has written for that. Does not return where another launcher takes over. Throws
/// Error(start).
int start(bootstrap::LaunchOptions options);

}  // namespace armature::tools
