#pragma once

#include "checkpoint/folder.hpp"
#include "command/run/launch.hpp"

namespace armature::command {

/// Makes them those of a job that goes on from that checkpoint in options.checkpoint_directory.
void go_on_from(LaunchOptions& options, const checkpoints::Found& found);

/// Runs the job, on this machine or on its hosts, and returns its exit status. Starts a job of
/// several nodes as often as it takes. One that is to recover (--on-death recover) starts once more
/// from its last checkpoint when processes were killed, on the hosts that are left. One that is to
/// have more processes or fewer starts from what it has written for that. Does not return where
/// another launcher takes over. Throws Error(start).
int start(LaunchOptions options);

}  // namespace armature::command
