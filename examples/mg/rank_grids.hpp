// The grids shared out over the ranks: each level is cut into equal boxes, one per rank, and each
// box lies in its rank's global memory, ghosts included. Neighbours write each other's ghosts with
// non-blocking strided puts and a notification; nothing is packed and nobody receives.
//
// The coarsest levels have too few cells to share: rank 0 keeps them whole. The ranks put their
// parts of the residual there, rank 0 does that part of the V-cycle alone, and they get their parts
// of the correction back. (The alternative, to leave ranks idle level by level, needs its own rules
// for who is whose neighbour, and still pays an exchange for a handful of cells.)
#pragma once

#include <vector>

#include <armature/armature.hpp>

#include "problem.hpp"
#include "v_cycle.hpp"
#include "whole_grids.hpp"

namespace mg {

class RankGrids {
 public:
  /// Collective; any power of two of ranks that leaves each at least two cells an edge. Throws
  /// std::invalid_argument.
  RankGrids(armature::World& world, int finest);

  int finest() const { return finest_; }
  int coarsest() const { return coarsest_; }
  Level level(int k) const { return levels_[static_cast<std::size_t>(k)]; }
  double sum(double mine) const { return allreduce(world_, mine); }
  void exchange(Grid grid) const;
  void solve_coarsest() const;

  /// The part of a level that this rank holds.
  Box box(int k) const;

 private:
  Triple position(int rank) const;
  armature::Rank neighbour(int axis, int step) const;
  void put_face(Grid grid, int axis, int step) const;

  armature::World& world_;
  int finest_;
  Triple shape_;
  int coarsest_;
  armature::Piece<double> piece_;
  std::vector<Level> levels_;
  armature::Piece<double> root_piece_;
  WholeGrids root_;  // lies in rank 0's memory; the others only compute addresses with it
};

}  // namespace mg
