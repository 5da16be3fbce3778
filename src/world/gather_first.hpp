#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "armature/collectives.hpp"
#include "armature/world.hpp"

namespace armature::hosting {

/// Gathers what each rank says, at rank 0, and nothing elsewhere. There may be so many that a list
/// of all in the memory of each would be more than all else, and be written with it.
template <Transferable T>
std::vector<T> gather_first(const World& world, const T& mine) {
  std::vector<T> all(world.rank() == 0 ? static_cast<std::size_t>(world.size()) : 0);
  gather<T>(world, std::span(&mine, 1), all, 0);
  return all;
}

}  // namespace armature::hosting
