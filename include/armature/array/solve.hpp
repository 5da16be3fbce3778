#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "armature/array/columns.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/array/factors.hpp"
#include "armature/collectives.hpp"
#include "armature/error.hpp"

// Systems of linear equations, by tiles of columns that are dealt out to the members (factors.hpp).
// Solving is for each right-hand side by itself: members have some each, and get the tiles that
// they need. All is collective, for matrices of any distributions and orders.

namespace armature {

struct solve_options {
  /// How many columns a tile has; 0: 64, or 128 if each member has 2048 columns.
  std::ptrdiff_t tile = 0;
};

/// The factors of a square matrix: its rows, exchanged, are a lower times an upper triangle
/// (Gaussian elimination with partial pivoting, as LAPACK's getrf). The matrix is not changed.
template <std::floating_point T>
class lu_factors final : public detail::DealtFactors<T> {
  using Columns = detail::Columns<T>;
  using detail::DealtFactors<T>::columns_;

 public:
  /// Collective. Throws Error(bad_argument), on every member, for a matrix that is not square, and
  /// one that is singular: then it names the column without a pivot.
  explicit lu_factors(const distributed_array<T, 2>& a, const solve_options& options = {})
      : detail::DealtFactors<T>(a, options.tile) {
    const std::ptrdiff_t wrong = this->factor_all();
    if (wrong < a.extent(0))
      throw Error(Errc::bad_argument, "distributed_array '" + a.name() +
                                          "' is singular: there is no pivot in column " +
                                          std::to_string(wrong));
  }

  /// Collective: returns the determinant, at all members.
  [[nodiscard]] T determinant() const {
    T product = T(1);
    const auto local = columns_.array().local();
    for (std::ptrdiff_t j = 0; j < local.extent(1); ++j)
      product *= local(columns_.global_column(j), j);
    product = allreduce(columns_.team(), product, [](T a, T b) { return a * b; });
    for (std::size_t k = 0; k < pivots_.size(); ++k)
      if (pivots_[k] != static_cast<std::ptrdiff_t>(k)) product = -product;
    return product;
  }
  /// Both triangles in one matrix; the diagonal is that of the upper one.
  [[nodiscard]] const distributed_array<T, 2>& factors() const { return columns_.array(); }
  /// Row k was exchanged with row pivots()[k], in this order.
  [[nodiscard]] const std::vector<std::ptrdiff_t>& pivots() const { return pivots_; }

 private:
  /// The notes are the pivots.
  std::vector<std::int64_t> factor_tile(const Columns& tile, std::ptrdiff_t first) override {
    std::vector<std::ptrdiff_t> pivots;
    factor_columns(tile, pivots, first);
    std::vector<std::int64_t> notes(pivots.begin(), pivots.end());
    notes.resize(static_cast<std::size_t>(tile.count), -1);
    return notes;
  }
  void update(const detail::SharedPanel<T>& panel, std::ptrdiff_t first, const Columns& c,
              std::ptrdiff_t /*local*/) override {
    const Columns& tile = panel.tile();
    const std::ptrdiff_t width = tile.count, rows = tile.rows - width;
    swap_rows(c, first, panel.notes());
    const auto top = c.part(first, 0, width, c.count);
    solve_lower(tile.part(0, 0, width, width), top, true);
    subtract_product(c.part(first + width, 0, rows, c.count), tile.part(width, 0, rows, width),
                     top);
  }
  /// Columns before the tile are exchanged only.
  void finish_tile(const std::vector<std::int64_t>& notes, std::ptrdiff_t first) override {
    pivots_.insert(pivots_.end(), notes.begin(), notes.end());
    const auto all = columns_.mine(0);
    swap_rows(all.part(0, 0, columns_.n(), all.count - columns_.mine(first).count), first, notes);
  }
  void solve_columns(const Columns& c) const override {
    const std::ptrdiff_t n = columns_.n();
    std::vector<T> buffer;
    swap_rows(c, 0, pivots_);
    this->solve_forward(c, true, buffer);
    for (std::ptrdiff_t last = n; last > 0;) {
      const std::ptrdiff_t first = (last - 1) / columns_.tile() * columns_.tile();
      const std::ptrdiff_t width = last - first;
      columns_.get(first, last, 0, last, buffer);
      const Columns tile{buffer.data(), last, last, width};
      const auto bottom = c.part(first, 0, width, c.count);
      solve_upper(tile.part(first, 0, width, width), bottom);
      subtract_product(c.part(0, 0, first, c.count), tile.part(0, 0, first, width), bottom);
      last = first;
    }
  }

  std::vector<std::ptrdiff_t> pivots_;
};

/// The factor of a symmetric positive definite matrix: a lower triangle, which times its transpose
/// is the matrix (Cholesky, LAPACK's potrf). The matrix is not changed; what lies above its
/// diagonal is not looked at.
template <std::floating_point T>
class cholesky_factor final : public detail::DealtFactors<T> {
  using Columns = detail::Columns<T>;
  using detail::DealtFactors<T>::columns_;

 public:
  /// Collective. Throws Error(bad_argument), on every member, for a matrix that is not square or
  /// not positive definite: then it names the column where that was found.
  explicit cholesky_factor(const distributed_array<T, 2>& a, const solve_options& options = {})
      : detail::DealtFactors<T>(a, options.tile) {
    const std::ptrdiff_t wrong = this->factor_all();
    if (wrong < a.extent(0))
      throw Error(Errc::bad_argument, "distributed_array '" + a.name() +
                                          "' is not positive definite: column " +
                                          std::to_string(wrong));
  }

  /// The triangle. What lies above its diagonal is of no meaning.
  [[nodiscard]] const distributed_array<T, 2>& factor() const { return columns_.array(); }

  /// Collective: x = the inverse of the triangle times b; solve_transposed: that of its transpose.
  /// x may be b. Both together are what solve() does. Throws as that.
  void solve_lower(distributed_array<T, 2>& x, const distributed_array<T, 2>& b) const {
    this->solve_sides(x, b, [this](const Columns& c) {
      std::vector<T> buffer;
      this->solve_forward(c, false, buffer);
    });
  }
  void solve_transposed(distributed_array<T, 2>& x, const distributed_array<T, 2>& b) const {
    this->solve_sides(x, b, [this](const Columns& c) { solve_back(c); });
  }

 private:
  std::vector<std::int64_t> factor_tile(const Columns& tile, std::ptrdiff_t /*first*/) override {
    std::vector<std::int64_t> notes(static_cast<std::size_t>(tile.count), -1);
    std::fill_n(notes.begin(), factor_symmetric_columns(tile), 0);
    return notes;
  }
  /// Each tile of columns below its diagonal.
  void update(const detail::SharedPanel<T>& panel, std::ptrdiff_t first, const Columns& c,
              std::ptrdiff_t local) override {
    const Columns& tile = panel.tile();
    const std::ptrdiff_t width = tile.count, n = columns_.n();
    for (std::ptrdiff_t j = 0; j < c.count;) {
      const std::ptrdiff_t column = columns_.global_column(local + j);
      const std::ptrdiff_t count = columns_.end_of(column) - column;
      turned_.resize(static_cast<std::size_t>(width * count));
      for (std::ptrdiff_t k = 0; k < width; ++k)
        for (std::ptrdiff_t i = 0; i < count; ++i)
          turned_[static_cast<std::size_t>(i * width + k)] = tile(column + i - first, k);
      subtract_product(c.part(column, j, n - column, count),
                       tile.part(column - first, 0, n - column, width),
                       Columns{turned_.data(), width, width, count});
      j += count;
    }
  }
  void finish_tile(const std::vector<std::int64_t>& /*notes*/, std::ptrdiff_t /*first*/) override {}
  void solve_columns(const Columns& c) const override {
    std::vector<T> buffer;
    this->solve_forward(c, false, buffer);
    solve_back(c);
  }
  void solve_back(const Columns& c) const {
    const std::ptrdiff_t n = columns_.n();
    std::vector<T> buffer;
    for (std::ptrdiff_t last = n; last > 0;) {
      const std::ptrdiff_t first = (last - 1) / columns_.tile() * columns_.tile();
      const std::ptrdiff_t width = last - first;
      columns_.get(first, last, first, n, buffer);
      const Columns tile{buffer.data(), n - first, n - first, width};
      std::vector<T> turned(static_cast<std::size_t>(width * (n - last)));  // a row for each column
      for (std::ptrdiff_t k = 0; k < width; ++k)
        for (std::ptrdiff_t i = 0; i < n - last; ++i)
          turned[static_cast<std::size_t>(i * width + k)] = tile(width + i, k);
      const auto top = c.part(first, 0, width, c.count);
      subtract_product(top, Columns{turned.data(), width, width, n - last},
                       c.part(last, 0, n - last, c.count));
      solve_lower_transposed(tile.part(0, 0, width, width), top);
      last = first;
    }
  }

  std::vector<T> turned_;
};

/// Collective: x = the solutions of a x = b, for each column of b.
template <std::floating_point T, int N>
requires(N <= 2) void solve(const distributed_array<T, 2>& a, distributed_array<T, N>& x,
                            const distributed_array<T, N>& b, const solve_options& options = {}) {
  lu_factors<T>(a, options).solve(x, b);
}

}  // namespace armature
