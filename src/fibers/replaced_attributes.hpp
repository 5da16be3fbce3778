#pragma once

#include "image/plan.hpp"

namespace armature::fibers {

/// Has ranks' copies of the program call functions that change and read the rank's own attributes
/// of a process (own_attributes.hpp), instead of the C library's.
void replace_attributes(image::Plan& plan);

}  // namespace armature::fibers
