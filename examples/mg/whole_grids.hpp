// All grids whole, on one rank: the plain program that the parallel one is compared with, and, in
// the parallel one, the levels too coarse to be worth sharing.
#pragma once

#include <vector>

#include "v_cycle.hpp"

namespace mg {

class WholeGrids {
 public:
  /// Levels 1..finest in `memory`, which has room for footprint(finest) doubles.
  WholeGrids(double* memory, int finest, const Smoother& smoother)
      : levels_(carve_levels(memory, 1, finest, whole(finest))),
        finest_(finest),
        smoother_(smoother) {}

  static std::size_t footprint(int finest) { return levels_footprint(1, finest, whole(finest)); }

  int finest() const { return finest_; }
  int coarsest() const { return 1; }
  const Smoother& smoother() const { return smoother_; }
  Level level(int k) const { return levels_[static_cast<std::size_t>(k)]; }
  double sum(double mine) const { return mine; }

  void exchange(Grid grid) const {
    for (int axis : {axis_x, axis_y, axis_z}) wrap(grid, axis);
  }

  void solve_coarsest() const {
    exchange(level(1).r);
    smooth(level(1).u, level(1).r, smoother_);
    exchange(level(1).u);
  }

  static Triple whole(int k) { return {1 << k, 1 << k, 1 << k}; }

 private:
  std::vector<Level> levels_;
  int finest_;
  Smoother smoother_;
};

}  // namespace mg
