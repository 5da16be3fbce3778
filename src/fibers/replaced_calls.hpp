#pragma once

#include "image/plan.hpp"

namespace armature::fibers {

/// Has ranks' copies of the program call other functions than some of the C and C++ libraries':
/// those whose state would be the process's, or the original program's.
void replace_calls(image::Plan& plan);

}  // namespace armature::fibers
