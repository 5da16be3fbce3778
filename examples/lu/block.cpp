// Nearly all time goes to subtract_product, so that one is tiled: 4x4 sums stay in registers while
// the common dimension is walked. The other three touch each block once and are plain loops.
#include "block.hpp"

#include <algorithm>

namespace lu {
namespace {

constexpr int tile = 4;

void subtract_tile(Block c, Block a, Block b, int i, int j) {
  double sums[tile][tile] = {};
  const double* left[tile];
  for (int r = 0; r < tile; ++r) left[r] = a.row(i + r);
  const double* right = b.row(0) + j;
  for (int k = 0; k < a.cols; ++k, right += b.ld) {
    for (int r = 0; r < tile; ++r) {
      for (int s = 0; s < tile; ++s) sums[r][s] += left[r][k] * right[s];
    }
  }
  for (int r = 0; r < tile; ++r) {
    for (int s = 0; s < tile; ++s) c.row(i + r)[j + s] -= sums[r][s];
  }
}

// Subtracts the rest at the right and lower rims when a block's edge is no multiple of the tile's.
void subtract_rim(Block c, Block a, Block b, int i, int j) {
  for (int r = i; r < std::min(i + tile, c.rows); ++r) {
    for (int s = j; s < std::min(j + tile, c.cols); ++s) {
      double sum = 0.0;
      for (int k = 0; k < a.cols; ++k) sum += a.row(r)[k] * b.row(k)[s];
      c.row(r)[s] -= sum;
    }
  }
}

// y <- y - factor x
void subtract_scaled(double* __restrict y, const double* __restrict x, double factor, int count) {
  for (int j = 0; j < count; ++j) y[j] -= factor * x[j];
}

}  // namespace

void factor_diagonal(Block a) {
  for (int k = 0; k < a.rows; ++k) {
    for (int i = k + 1; i < a.rows; ++i) {
      const double factor = a.row(i)[k] /= a.row(k)[k];
      subtract_scaled(a.row(i) + k + 1, a.row(k) + k + 1, factor, a.cols - k - 1);
    }
  }
}

void divide_by_upper(Block a, Block diagonal) {
  for (int i = 0; i < a.rows; ++i) {
    for (int k = 0; k < a.cols; ++k) {
      const double factor = a.row(i)[k] /= diagonal.row(k)[k];
      subtract_scaled(a.row(i) + k + 1, diagonal.row(k) + k + 1, factor, a.cols - k - 1);
    }
  }
}

void divide_by_lower(Block a, Block diagonal) {
  for (int k = 0; k < a.rows; ++k) {
    for (int i = k + 1; i < a.rows; ++i) {
      subtract_scaled(a.row(i), a.row(k), diagonal.row(i)[k], a.cols);
    }
  }
}

void subtract_product(Block c, Block a, Block b) {
  for (int i = 0; i < c.rows; i += tile) {
    for (int j = 0; j < c.cols; j += tile) {
      const bool whole = i + tile <= c.rows && j + tile <= c.cols;
      whole ? subtract_tile(c, a, b, i, j) : subtract_rim(c, a, b, i, j);
    }
  }
}

}  // namespace lu
