#pragma once

#include "fibers/own_attributes.hpp"
#include "image/plan.hpp"

namespace armature::fibers {

/// The calling rank's, made at the first call; nullptr where no rank calls, or memory is short.
OwnAttributes* find_or_make_attributes();

/// Has ranks' copies of the program call functions that change and read the rank's own attributes
/// of a process (own_attributes.hpp), instead of the C library's.
void replace_attributes(image::Plan& plan);

}  // namespace armature::fibers
