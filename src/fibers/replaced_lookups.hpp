#pragma once

#include "image/plan.hpp"

namespace armature::fibers {

/// Has ranks' copies of the program find what is theirs by name, and not the original's: dlsym,
/// dlvsym, dlopen, dlclose and dlerror.
void replace_lookups(image::Plan& plan);

}  // namespace armature::fibers
