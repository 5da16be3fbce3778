#pragma once

#include "interpose/interface.hpp"

namespace armature::interpose {

/// The functions by which files go with ranks.
[[gnu::visibility("hidden")]] MovingFiles moving_files();

}  // namespace armature::interpose
