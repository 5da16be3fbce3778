// A 27-point stencil with one weight each for the centre, the 6 faces, the 12 edges and the 8
// corners needs no 27 additions a cell. The four face and the four edge neighbours within the y-z
// plane are summed once for each x of a row and serve three cells. That is the benchmark's own
// trick, and what its operation count assumes.
#include "kernels.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace mg {
namespace {

// Sums around a row (y, z): for each x, its four face and its four edge neighbours.
class RowSums {
 public:
  explicit RowSums(Grid grid)
      : faces_(static_cast<std::size_t>(grid.interior()[axis_x]) + 2), edges_(faces_.size()) {}

  void gather(Grid grid, int y, int z) {
    const double* south = grid.row(y - 1, z);
    const double* north = grid.row(y + 1, z);
    const double* below = grid.row(y, z - 1);
    const double* above = grid.row(y, z + 1);
    const double* south_below = grid.row(y - 1, z - 1);
    const double* north_below = grid.row(y + 1, z - 1);
    const double* south_above = grid.row(y - 1, z + 1);
    const double* north_above = grid.row(y + 1, z + 1);
    double* __restrict faces = faces_.data();
    double* __restrict edges = edges_.data();
    const std::size_t n = faces_.size();
    for (std::size_t x = 0; x < n; ++x) {
      faces[x] = south[x] + north[x] + below[x] + above[x];
      edges[x] = south_below[x] + north_below[x] + south_above[x] + north_above[x];
    }
  }

  const double* faces() const { return faces_.data(); }
  const double* edges() const { return edges_.data(); }

 private:
  std::vector<double> faces_;
  std::vector<double> edges_;
};

template <class Visit>
void for_each_row(Grid grid, Visit visit) {
  for (int z = 1; z <= grid.interior()[axis_z]; ++z) {
    for (int y = 1; y <= grid.interior()[axis_y]; ++y) visit(y, z);
  }
}

}  // namespace

void smooth(Grid u, Grid r, const Smoother& weights) {
  const auto [centre, face, edge] = weights;
  RowSums sums(r);
  for_each_row(r, [&](int y, int z) {
    sums.gather(r, y, z);
    const double* near = r.row(y, z);
    const double* faces = sums.faces();
    const double* edges = sums.edges();
    double* __restrict out = u.row(y, z);
    for (int x = 1; x <= r.interior()[axis_x]; ++x) {
      out[x] += centre * near[x] + face * (near[x - 1] + near[x + 1] + faces[x]) +
                edge * (edges[x] + faces[x - 1] + faces[x + 1]);
    }
  });
}

void compute_residual(Grid r, Grid u, Grid v) {
  constexpr double centre = -8.0 / 3.0;
  constexpr double edge = 1.0 / 6.0;  // the faces' weight is zero
  constexpr double corner = 1.0 / 12.0;
  RowSums sums(u);
  for_each_row(u, [&](int y, int z) {
    sums.gather(u, y, z);
    const double* near = u.row(y, z);
    const double* faces = sums.faces();
    const double* edges = sums.edges();
    const double* rhs = v.row(y, z);
    double* out = r.row(y, z);
#pragma GCC ivdep  // out may be rhs, cell for cell, but never overlaps it otherwise
    for (int x = 1; x <= u.interior()[axis_x]; ++x) {
      out[x] = rhs[x] - centre * near[x] - edge * (edges[x] + faces[x - 1] + faces[x + 1]) -
               corner * (edges[x - 1] + edges[x + 1]);
    }
  });
}

void project(Grid coarse, Grid fine) {
  RowSums sums(fine);
  for_each_row(coarse, [&](int y, int z) {
    sums.gather(fine, 2 * y, 2 * z);
    const double* near = fine.row(2 * y, 2 * z);
    const double* faces = sums.faces();
    const double* edges = sums.edges();
    double* __restrict out = coarse.row(y, z);
    for (int x = 1; x <= coarse.interior()[axis_x]; ++x) {
      const int f = 2 * x;
      out[x] = 0.5 * near[f] + 0.25 * (near[f - 1] + near[f + 1] + faces[f]) +
               0.125 * (faces[f - 1] + faces[f + 1] + edges[f]) +
               0.0625 * (edges[f - 1] + edges[f + 1]);
    }
  });
}

namespace {

// Adds to one row of fine cells the mean of 1, 2 or 4 rows of coarse cells: `sums` holds their sum
// and `weight` one over their number.
void interpolate_row(double* __restrict fine, std::span<const double> sums, double weight) {
  for (std::size_t x = 0; x + 1 < sums.size(); ++x) {
    fine[2 * x] += weight * sums[x];
    fine[2 * x + 1] += 0.5 * weight * (sums[x] + sums[x + 1]);
  }
}

}  // namespace

// Fine cell 2c coincides with coarse cell c, fine cell 2c+1 lies half-way to c+1, in each
// direction; so coarse cells 0..n cover fine cells 0..2n+1, ghosts included.
void interpolate(Grid fine, Grid coarse) {
  const Triple n = coarse.interior();
  const std::size_t length = static_cast<std::size_t>(n[axis_x]) + 2;
  std::vector<double> along_y(length), along_z(length), diagonal(length);
  for (int z = 0; z <= n[axis_z]; ++z) {
    for (int y = 0; y <= n[axis_y]; ++y) {
      const double* here = coarse.row(y, z);
      const double* north = coarse.row(y + 1, z);
      const double* above = coarse.row(y, z + 1);
      const double* north_above = coarse.row(y + 1, z + 1);
      for (std::size_t x = 0; x < length; ++x) {
        along_y[x] = here[x] + north[x];
        along_z[x] = here[x] + above[x];
        diagonal[x] = along_y[x] + above[x] + north_above[x];
      }
      interpolate_row(fine.row(2 * y, 2 * z), {here, length}, 1.0);
      interpolate_row(fine.row(2 * y + 1, 2 * z), along_y, 0.5);
      interpolate_row(fine.row(2 * y, 2 * z + 1), along_z, 0.5);
      interpolate_row(fine.row(2 * y + 1, 2 * z + 1), diagonal, 0.25);
    }
  }
}

void clear(Grid grid) { std::fill_n(grid.data(), Grid::footprint(grid.interior()), 0.0); }

Face face_of(Grid grid, int axis) {
  Face face;
  for (int a = 0; a < 3; ++a) {
    if (a == axis) continue;
    face.first[a] = a < axis ? 0 : 1;
    face.last[a] = grid.interior()[a] + (a < axis ? 1 : 0);
  }
  return face;
}

void wrap(Grid grid, int axis) {
  const int n = grid.interior()[axis];
  const std::ptrdiff_t step = grid.stride(axis);
  const Face face = face_of(grid, axis);
  for (int z = face.first[2]; z <= face.last[2]; ++z) {
    for (int y = face.first[1]; y <= face.last[1]; ++y) {
      for (int x = face.first[0]; x <= face.last[0]; ++x) {
        double* cell = grid.data() + grid.offset({x, y, z});
        cell[0] = cell[n * step];
        cell[(n + 1) * step] = cell[step];
      }
    }
  }
}

double sum_of_squares(Grid grid) {
  double sum = 0.0;
  for_each_row(grid, [&](int y, int z) {
    const double* row = grid.row(y, z);
    for (int x = 1; x <= grid.interior()[axis_x]; ++x) sum += row[x] * row[x];
  });
  return sum;
}

}  // namespace mg
