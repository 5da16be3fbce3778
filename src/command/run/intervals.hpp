#pragma once

#include "command/run/launch_options.hpp"

namespace armature::command {

/// Writes them into the environment of the ranks: their program may ask whether it is due.
void tell_intervals(const LaunchOptions& options);

}  // namespace armature::command
