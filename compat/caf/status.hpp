#pragma once

#include "descriptor.hpp"
#include "image.hpp"

namespace caf {

/// Makes an array of the team's images that are gone in that way, which is a value of stat=. `kind`
/// is that of its integers. The compiler frees it with free().
void list_images(Descriptor& result, const TeamOfImages& team, int status, int kind);

}  // namespace caf
