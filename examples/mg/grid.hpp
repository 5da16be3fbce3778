// A box of a periodic three-dimensional grid: the cells one rank owns, and one layer of ghost
// cells on every side that repeats the cells of its neighbours. A Grid only looks at memory that
// somebody else owns, so the same kernels run on a std::vector and on a rank's shared memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mg {

/// Directions: x is contiguous in memory, z has the largest stride.
enum Axis : int { axis_x = 0, axis_y = 1, axis_z = 2 };

/// Cells per direction, ghosts not counted; also a position in cells or in ranks.
using Triple = std::array<int, 3>;

class Grid {
 public:
  Grid() = default;
  Grid(double* cells, Triple interior) : cells_(cells), interior_(interior) {}

  /// Memory that a grid of this interior takes, ghosts included, in doubles.
  static std::size_t footprint(Triple interior) {
    std::size_t cells = 1;
    for (int n : interior) cells *= static_cast<std::size_t>(n) + 2;
    return cells;
  }

  double* data() const { return cells_; }
  const Triple& interior() const { return interior_; }

  /// Distance between neighbours in this direction, in doubles.
  std::ptrdiff_t stride(int axis) const {
    std::ptrdiff_t distance = 1;
    for (int a = 0; a < axis; ++a) distance *= interior_[a] + 2;
    return distance;
  }

  /// The offset of a cell; interior cells are 1..n, ghosts 0 and n+1.
  std::ptrdiff_t offset(Triple cell) const {
    return cell[0] * stride(0) + cell[1] * stride(1) + cell[2] * stride(2);
  }

  /// The cells (0..n+1, y, z): a whole row with its ghosts.
  double* row(int y, int z) const { return cells_ + offset({0, y, z}); }

 private:
  double* cells_ = nullptr;
  Triple interior_{};
};

}  // namespace mg
