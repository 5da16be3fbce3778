#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "armature/array/distributed_array.hpp"
#include "armature/array/layout.hpp"
#include "armature/array/store.hpp"
#include "armature/error.hpp"
#include "armature/piece.hpp"
#include "armature/team.hpp"

namespace armature {

/// Collective: an array in memory that the members of the team have allocated before. Each member's
/// block begins its piece, and elements are what lies there. Arrays over one piece share their
/// elements (Global Arrays' GA_Overlay and GA_Assemble_duplicate). The memory lives as long.
///
///     auto piece = world.allocate<double>(n * n);
///     auto a = array_over<double, 2>(world, piece, {n, n});
///
/// Throws Error(bad_argument), on every member, for options that do not fit, and if a member's
/// piece is shorter than its block.
template <class T, int N>
[[nodiscard]] distributed_array<T, N> array_over(
    const Team& team, const Piece<T>& memory,
    const std::array<std::ptrdiff_t, static_cast<std::size_t>(N)>& shape,
    const array_options<N>& options = {}) {
  detail::ArrayLayout layout({options.name, shape, options.distribution, options.grid,
                              options.ghosts, options.order, team.size()});
  if (memory.members() != team.size())
    throw Error(Errc::bad_argument, "distributed_array '" + options.name + "': memory of " +
                                        std::to_string(memory.members()) + " members, of " +
                                        std::to_string(team.size()));
  std::vector<std::byte*> blocks;
  for (int member = 0; member < team.size(); ++member) {
    const auto needed = static_cast<std::size_t>(layout.block(member).size);
    if (needed > memory.size(member))
      throw Error(Errc::bad_argument, "distributed_array '" + options.name + "': member " +
                                          std::to_string(member) + " has memory for " +
                                          std::to_string(memory.size(member)) + " elements of " +
                                          std::to_string(needed));
    blocks.push_back(reinterpret_cast<std::byte*>(memory.on(member).address()));
  }
  distributed_array<T, N> array(std::make_unique<detail::ArrayStore>(
      team, options.name, std::move(layout), sizeof(T), std::move(blocks)));
  array.fence();
  return array;
}

}  // namespace armature
