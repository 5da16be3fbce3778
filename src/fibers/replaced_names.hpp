#pragma once

#include "image/plan.hpp"

namespace armature::fibers {

/// Has copies of the program ask for the names of their own addresses (dladdr, backtrace_symbols).
void replace_names(image::Plan& plan);

}  // namespace armature::fibers
