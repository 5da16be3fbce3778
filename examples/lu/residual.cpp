#include "residual.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lu {
namespace {

// Calls visit(row, first column, data, columns) for every row of every block of a rank's share.
template <class Visit>
void for_each_row(const Layout& layout, int rank, double* memory, Visit visit) {
  const int b = layout.shape().block;
  for (int i : layout.rows_of(rank)) {
    for (int j : layout.cols_of(rank)) {
      const Block block = layout.locate(memory, i, j);
      for (int r = 0; r < block.rows; ++r) visit(i * b + r, j * b, block.row(r), block.cols);
    }
  }
}

double dot(const double* a, std::span<const double> x, int first, int count) {
  double sum = 0.0;
  for (int c = 0; c < count; ++c) sum += a[c] * x[static_cast<std::size_t>(first + c)];
  return sum;
}

}  // namespace

double matrix_element(int n, int row, int col) {
  std::uint64_t bits = (static_cast<std::uint64_t>(row) << 32) + static_cast<std::uint64_t>(col);
  bits = (bits + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;  // the mixing steps of SplitMix64
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  bits ^= bits >> 31;
  const double random = static_cast<double>(bits >> 11) * 0x1p-53 - 0.5;
  return row == col ? random + 0.5 * n : random;
}

void fill_share(const Layout& layout, int rank, double* memory) {
  const int n = layout.shape().n;
  for_each_row(layout, rank, memory, [n](int row, int first, double* data, int count) {
    for (int c = 0; c < count; ++c) data[c] = matrix_element(n, row, first + c);
  });
}

void add_upper_product(const Layout& layout, int rank, double* memory, std::span<const double> x,
                       std::span<double> product) {
  for_each_row(layout, rank, memory, [&](int row, int first, const double* data, int count) {
    const int skip = std::clamp(row - first, 0, count);
    product[static_cast<std::size_t>(row)] += dot(data + skip, x, first + skip, count - skip);
  });
}

void add_lower_product(const Layout& layout, int rank, double* memory, std::span<const double> x,
                       std::span<double> product) {
  for_each_row(layout, rank, memory, [&](int row, int first, const double* data, int count) {
    const int below = std::clamp(row - first, 0, count);
    const auto out = static_cast<std::size_t>(row);
    product[out] += dot(data, x, first, below);
    if (row >= first && row < first + count) product[out] += x[out];  // the unit diagonal
  });
}

void add_original_product(const Layout& layout, int rank, std::span<const double> x,
                          std::span<double> product) {
  const auto n = static_cast<int>(x.size());
  const int b = layout.shape().block;
  for (int i : layout.rows_of(rank)) {
    for (int j : layout.cols_of(rank)) {
      for (int row = i * b; row < i * b + layout.edge(i); ++row) {
        for (int col = j * b; col < j * b + layout.edge(j); ++col) {
          product[static_cast<std::size_t>(row)] +=
              matrix_element(n, row, col) * x[static_cast<std::size_t>(col)];
        }
      }
    }
  }
}

double relative_difference(std::span<const double> a, std::span<const double> b) {
  double difference = 0.0;
  double magnitude = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (std::isnan(a[i])) return a[i];  // which std::max would drop
    difference = std::max(difference, std::abs(a[i] - b[i]));
    magnitude = std::max(magnitude, std::abs(b[i]));
  }
  return difference / magnitude;
}

}  // namespace lu
