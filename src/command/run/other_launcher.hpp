#pragma once

#include <string>

#include "command/run/launch.hpp"

// Other launchers, started by this process, which waits for them.

namespace armature::command {

/// The job, by the launcher that is found, in a child. Whether processes were killed is what that
/// one's status says, or that a machine does not answer any more; and nobody has asked this process
/// to end the job. Throws Error(start) as command_of_other does.
Outcome await_other(const LaunchOptions& options);

/// Whether the launcher that is found can start something on that machine, within some seconds.
bool answers(const std::string& host);

}  // namespace armature::command
