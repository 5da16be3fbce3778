// The stiffness matrix of an elastic block, by the finite-element method: a box of cubes, each cut
// into the six tetrahedra of Kuhn, with linear functions. A node has three unknowns, its
// displacements, except where the block is held: clamped at one end, on rollers at the other.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "matrix.hpp"

namespace sparse {

struct ElasticBlock {
  std::array<int, 3> nodes{};  ///< Along x, y and z.
  /// Nodes of the first layer in z that cannot move, and of the last that cannot move along z;
  /// counted from the corner, x first.
  int clamped = 0;
  int rollers = 0;

  /// The block whose matrix has the size of the one in armci-rma-2006, figure 23: 41,092 rows and
  /// 1,683,902 entries.
  [[nodiscard]] static ElasticBlock of_the_paper() {
    return {.nodes = {9, 58, 27}, .clamped = 293, .rollers = 311};
  }
  /// "4x5x6": so many nodes, the first layer clamped. Throws std::invalid_argument.
  [[nodiscard]] static ElasticBlock parse(std::string_view text);
};

[[nodiscard]] Matrix stiffness(const ElasticBlock& block);

}  // namespace sparse
