#pragma once

#include "armature/world.hpp"
#include "space/address_space.hpp"

namespace armature {

/// Has the job look for accesses that nothing orders (races/races.hpp), where that is asked for and
/// possible: on one node, with up to races::ranks_max ranks, with every call checked. Collective.
void look_for_races(const World& world, const space::AddressSpace& space);

}  // namespace armature
