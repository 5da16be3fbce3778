#pragma once

#include "bootstrap/launcher/launch_options.hpp"

namespace armature::bootstrap {

/// Into the environment of the ranks: their program may ask whether it is due.
void tell_intervals(const LaunchOptions& options);

}  // namespace armature::bootstrap
