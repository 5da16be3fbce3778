#pragma once

#include "bootstrap/launcher/launch.hpp"

namespace armature::bootstrap {

/// Throws Error(start) where what is to be done every so often cannot be, wherever the job runs.
void check_intervals(const LaunchOptions& options);
/// Into the environment of the ranks: their program may ask whether it is due.
void tell_intervals(const LaunchOptions& options);

}  // namespace armature::bootstrap
