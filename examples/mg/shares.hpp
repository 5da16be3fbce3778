// The shares of the ranks: each level of the cube is cut into equal boxes, one for each rank.
// Levels too coarse for that are one rank's.
#pragma once

#include "grid.hpp"
#include "problem.hpp"

namespace mg {

class Shares {
 public:
  /// Any power of two of ranks that leaves each at least two cells an edge. Throws
  /// std::invalid_argument.
  Shares(int ranks, int finest);

  int finest() const { return finest_; }
  /// The coarsest level that is shared.
  int coarsest() const { return coarsest_; }
  /// Ranks along each edge.
  const Triple& shape() const { return shape_; }
  /// Cells of a rank's box of that level.
  Triple extent(int level) const;
  Box box(int level, int rank) const;
  /// The rank beside, the cube being periodic.
  int neighbour(int rank, int axis, int step) const;

 private:
  Triple position(int rank) const;

  int finest_;
  Triple shape_;
  int coarsest_;
};

}  // namespace mg
