// The grids of examples/mg by message passing: the same boxes, kernels and V-cycle. A face is
// packed, sent to the neighbour and unpacked there, all receives being posted first, as in the
// reference version of the NAS parallel benchmarks.
#pragma once

#include <vector>

#include "problem.hpp"
#include "shares.hpp"
#include "v_cycle.hpp"
#include "whole_grids.hpp"

namespace mg {

class MpiGrids {
 public:
  /// Collective over MPI_COMM_WORLD. Throws std::invalid_argument for numbers of ranks that Shares
  /// refuses.
  explicit MpiGrids(const ProblemClass& problem);

  int finest() const { return shares_.finest(); }
  int coarsest() const { return shares_.coarsest(); }
  const Smoother& smoother() const { return root_.smoother(); }
  Level level(int k) const { return levels_[static_cast<std::size_t>(k)]; }
  double sum(double mine) const;
  void exchange(Grid grid);
  void solve_coarsest();

  /// The part of a level that this rank holds.
  Box box(int k) const { return shares_.box(k, me_); }

 private:
  void exchange_along(Grid grid, int axis);

  int me_;
  int ranks_;
  Shares shares_;
  std::vector<double> memory_;
  std::vector<Level> levels_;
  std::vector<double> root_memory_;  // of rank 0
  WholeGrids root_;
  std::vector<double> send_[2], receive_[2];  // faces at the lower and at the upper end
};

}  // namespace mg
