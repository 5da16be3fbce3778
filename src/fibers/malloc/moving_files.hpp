#pragma once

#include "fibers/malloc/interface.hpp"

namespace armature::fibers {

/// The functions by which files go with ranks.
[[gnu::visibility("hidden")]] MovingFiles moving_files();

}  // namespace armature::fibers
