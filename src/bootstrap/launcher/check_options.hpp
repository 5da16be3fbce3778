#pragma once

#include "bootstrap/launcher/launch.hpp"

namespace armature::bootstrap {

/// Throws Error(start) where options do not go together, or one would do nothing: before anything
/// is started, wherever the job is to run.
void check_options(const LaunchOptions& options);

}  // namespace armature::bootstrap
