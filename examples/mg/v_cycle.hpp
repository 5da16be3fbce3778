// The multigrid iteration, written once for one rank and for many. A `Hierarchy` owns the grids and
// knows how neighbours' cells get into ghosts; the kernels do the rest.
//
//   int finest(), coarsest()     levels; level k has 2^k cells an edge over all ranks
//   Level level(int k)           this rank's box of that level
//   void exchange(Grid)          makes the ghosts current, on all ranks
//   void solve_coarsest()        the correction of the coarsest level from its residual
//   double sum(double)           over all ranks
//   Smoother smoother()          the problem's
//
// A hierarchy that writes into its neighbours' ghosts relies on the order below: between the
// exchanges of two grids nothing reads, or writes, the ghosts of the second.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels.hpp"

namespace mg {

/// One level's grids: the correction u and the residual r.
struct Level {
  Grid u;
  Grid r;
};

/// Memory for the levels first..last, of which the last has the interior given, in doubles.
inline std::size_t levels_footprint(int first, int last, Triple interior) {
  std::size_t doubles = 0;
  for (int k = last; k >= first; --k) {
    doubles += 2 * Grid::footprint(interior);
    for (int& n : interior) n /= 2;
  }
  return doubles;
}

/// Carves the levels out of `memory`; the result is indexed by level.
inline std::vector<Level> carve_levels(double* memory, int first, int last, Triple interior) {
  std::vector<Level> levels(static_cast<std::size_t>(last) + 1);
  for (int k = last; k >= first; --k) {
    const std::size_t size = Grid::footprint(interior);
    levels[static_cast<std::size_t>(k)] = {Grid(memory, interior), Grid(memory + size, interior)};
    memory += 2 * size;
    for (int& n : interior) n /= 2;
  }
  return levels;
}

/// Improves level k's u, given r = v - A u. Leaves r stale.
template <class Hierarchy>
void run_v_cycle(Hierarchy& hierarchy, int k, Grid v) {
  if (k == hierarchy.coarsest()) return hierarchy.solve_coarsest();
  const Level fine = hierarchy.level(k);
  const Level coarse = hierarchy.level(k - 1);
  hierarchy.exchange(fine.r);
  clear(coarse.u);
  project(coarse.r, fine.r);
  run_v_cycle(hierarchy, k - 1, coarse.r);
  interpolate(fine.u, coarse.u);
  compute_residual(fine.r, fine.u, v);
  hierarchy.exchange(fine.r);
  smooth(fine.u, fine.r, hierarchy.smoother());
  hierarchy.exchange(fine.u);
}

/// Starts from u = 0 and iterates; returns the L2 norm of the residual.
template <class Hierarchy>
double solve(Hierarchy& hierarchy, Grid v, int iterations) {
  const Level finest = hierarchy.level(hierarchy.finest());
  clear(finest.u);
  compute_residual(finest.r, finest.u, v);
  for (int i = 0; i < iterations; ++i) {
    run_v_cycle(hierarchy, hierarchy.finest(), v);
    compute_residual(finest.r, finest.u, v);
  }
  const double cells = std::pow(8.0, hierarchy.finest());
  return std::sqrt(hierarchy.sum(sum_of_squares(finest.r)) / cells);
}

}  // namespace mg
