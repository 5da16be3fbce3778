#pragma once

#include "command/run/launch.hpp"

namespace armature::command {

/// Throws Error(start) where options do not go together, or one would do nothing: before anything
/// is started, wherever the job is to run.
void check_options(const LaunchOptions& options);

}  // namespace armature::command
