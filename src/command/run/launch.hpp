#pragma once

#include "command/run/launch_options.hpp"

// Starting a job on this machine and staying with it to the end: `armature run`.

namespace armature::command {

/// Runs the job to its end. Throws Error(start) when it cannot be started.
Outcome launch(const LaunchOptions& options);

}  // namespace armature::command
