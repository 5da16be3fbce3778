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
#include "shares.hpp"
#include "v_cycle.hpp"
#include "whole_grids.hpp"

namespace mg {

class RankGrids {
 public:
  /// Collective. Throws std::invalid_argument for numbers of ranks that Shares refuses.
  RankGrids(armature::World& world, const ProblemClass& problem);

  int finest() const { return shares_.finest(); }
  int coarsest() const { return shares_.coarsest(); }
  const Smoother& smoother() const { return root_.smoother(); }
  Level level(int k) const { return levels_[static_cast<std::size_t>(k)]; }
  double sum(double mine) const { return allreduce(world_, mine); }
  void exchange(Grid grid) const;
  void solve_coarsest() const;

  /// The part of a level that this rank holds.
  Box box(int k) const { return shares_.box(k, world_.rank()); }

 private:
  armature::Rank neighbour(int axis, int step) const {
    return shares_.neighbour(world_.rank(), axis, step);
  }
  void put_face(Grid grid, int axis, int step) const;

  armature::World& world_;
  Shares shares_;
  armature::Piece<double> piece_;
  std::vector<Level> levels_;
  armature::Piece<double> root_piece_;
  WholeGrids root_;  // lies in rank 0's memory; the others only compute addresses with it
};

}  // namespace mg
