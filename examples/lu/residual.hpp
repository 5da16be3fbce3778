// The matrix to factor, and the check of its factors. Element (i, j) is a hash of its position, so
// that any rank can make any element at any time, also after its storage holds the factors. The
// diagonal outweighs each row, hence no pivoting is needed.
//
// The check costs n^2, not n^3: for a random vector x it compares L (U x) with A x.
#pragma once

#include <span>
#include <vector>

#include "layout.hpp"

namespace lu {

double matrix_element(int n, int row, int col);

/// Fills one rank's share of the matrix, which lies at `memory`.
void fill_share(const Layout& layout, int rank, double* memory);

/// One rank's contribution to U x and to L x, from its factored share; the sum over all ranks is
/// the product.
void add_upper_product(const Layout& layout, int rank, double* memory, std::span<const double> x,
                       std::span<double> product);
void add_lower_product(const Layout& layout, int rank, double* memory, std::span<const double> x,
                       std::span<double> product);
/// Adds the contribution to A x, whose elements are made afresh.
void add_original_product(const Layout& layout, int rank, std::span<const double> x,
                          std::span<double> product);

/// max |a - b| / max |b|
double relative_difference(std::span<const double> a, std::span<const double> b);

/// || L U x - A x || / || A x || in the maximum norm, for a random x. `sum_over_ranks(add)` returns
/// the sum of what add(rank, the rank's memory, sum) adds to `sum` on each of the ranks.
template <class SumOverRanks>
double check_factors(const Layout& layout, SumOverRanks sum_over_ranks) {
  std::vector<double> x(static_cast<std::size_t>(layout.shape().n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = matrix_element(1, static_cast<int>(i) + 1, 0);
  const std::vector<double> ux =
      sum_over_ranks([&](int rank, double* memory, std::span<double> sum) {
        add_upper_product(layout, rank, memory, x, sum);
      });
  const std::vector<double> lux =
      sum_over_ranks([&](int rank, double* memory, std::span<double> sum) {
        add_lower_product(layout, rank, memory, ux, sum);
      });
  const std::vector<double> ax = sum_over_ranks([&](int rank, double*, std::span<double> sum) {
    add_original_product(layout, rank, x, sum);
  });
  return relative_difference(lux, ax);
}

}  // namespace lu
