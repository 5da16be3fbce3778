#pragma once

#include <vector>

#include "space/control.hpp"

namespace armature::hosting {

/// The domains of these processes for a plan (balance::Problem::levels): from switches to caches,
/// without those levels that divide none of the level above.
std::vector<std::vector<int>> levels_of(const space::Control& control,
                                        const std::vector<int>& processes);

}  // namespace armature::hosting
