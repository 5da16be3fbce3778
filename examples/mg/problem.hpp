// The problem classes of the NAS MG benchmark, with the residual norms published for them, and the
// right-hand side: twenty unit charges at random cells, ten of each sign.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "grid.hpp"
#include "kernels.hpp"

namespace mg {

struct ProblemClass {
  char name;
  int levels;  ///< The finest grid has 2^levels cells an edge, the coarsest 2.
  int iterations;
  double norm;  ///< Published L2 norm of the residual after the last iteration.
  Smoother smoother;

  int edge() const { return 1 << levels; }
  double cells() const { return static_cast<double>(edge()) * edge() * edge(); }
};

/// Class S, W, A, B or C. Throws std::invalid_argument for any other name.
const ProblemClass& find_class(std::string_view name);

/// A box of the grid in the whole: `origin` is its first cell, counted from 0.
struct Box {
  Triple origin{};
  Triple extent{};
};

/// The cells of extreme value in a box, best first: the candidates for charges.
struct Extremes {
  static constexpr int wanted = 10;
  struct Cell {
    double value = 0.0;
    std::int64_t index =
        -1;  ///< x + edge * (y + edge * z); -1 when there are fewer than ten cells.
  };
  std::array<Cell, wanted> largest{};
  std::array<Cell, wanted> smallest{};

  /// Keeps the best ten of both.
  void merge(const Extremes& other);
};

/// Draws the box's cells from the benchmark's random sequence and returns its extremes.
Extremes find_extremes(int edge, Box box);

/// Writes the charges that lie in the box to its grid: +1 at the largest, -1 at the smallest,
/// 0 elsewhere. Leaves ghosts zero: the grid's stencil neighbours are never read.
void place_charges(Grid grid, int edge, Box box, const Extremes& extremes);

}  // namespace mg
