#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armature/array/columns.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/array/schedule.hpp"
#include "armature/collectives.hpp"
#include "armature/error.hpp"

// Systems of linear equations, by tiles of columns that are dealt out to the members. The member
// that has a tile factors it and broadcasts it; then each updates its own columns behind it.
// Solving is for each right-hand side by itself: members have some each, and get the tiles that
// they need. All is collective, for matrices of any distributions and orders.

namespace armature {

struct solve_options {
  /// How many columns a tile has.
  std::ptrdiff_t tile = 64;
};

namespace detail {

/// A square matrix whose columns are dealt out, to be factored.
template <class T>
class DealtColumns {
 public:
  DealtColumns(const distributed_array<T, 2>& a, std::ptrdiff_t tile)
      : tile_(tile), array_(a.team(), a.shape(), options(a, tile)) {
    if (a.extent(0) != a.extent(1))
      throw Error(Errc::bad_argument, "distributed_array '" + a.name() + "' of " +
                                          a.all().section().shape_text() + " is not square");
    array_.all() = a.all();
  }

  [[nodiscard]] std::ptrdiff_t n() const { return array_.extent(0); }
  [[nodiscard]] const Team& team() const { return array_.team(); }
  [[nodiscard]] const std::string& name() const { return array_.name(); }
  [[nodiscard]] std::ptrdiff_t tile() const { return tile_; }
  [[nodiscard]] std::ptrdiff_t end_of(std::ptrdiff_t first) const {
    return std::min(first + tile_, n());
  }
  /// The caller's columns from global column `first` on.
  [[nodiscard]] Columns<T> mine(std::ptrdiff_t first) {
    const auto local = array_.local();
    const ArrayAxis& axis = array_.layout().axis(1);
    const int me = array_.store().me();
    std::ptrdiff_t before = 0;
    if (local.extent(1) > 0)
      before =
          first / (tile_ * axis.positions()) * tile_ +
          std::clamp<std::ptrdiff_t>(first % (tile_ * axis.positions()) - me * tile_, 0, tile_);
    before = std::min(before, local.extent(1));
    return Columns<T>{local.data(), n(), n(), local.extent(1)}.part(0, before, n(),
                                                                    local.extent(1) - before);
  }
  [[nodiscard]] std::ptrdiff_t global_column(std::ptrdiff_t local) const {
    return array_.layout().axis(1).global(array_.store().me(), local);
  }
  [[nodiscard]] int owner(std::ptrdiff_t column) const {
    return array_.layout().axis(1).owner(column);
  }
  [[nodiscard]] bool has(std::ptrdiff_t column) const {
    return owner(column) == array_.store().me();
  }
  /// Gets columns [first, last), rows [from, to), one column behind the other.
  void get(std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t from, std::ptrdiff_t to,
           std::vector<T>& columns) const {
    columns.resize(static_cast<std::size_t>((last - first) * (to - from)));
    array_[{Range(from, to), Range(first, last)}].transposed().get(std::span<T>(columns));
  }
  [[nodiscard]] const distributed_array<T, 2>& array() const { return array_; }

 private:
  static array_options<2> options(const distributed_array<T, 2>& a, std::ptrdiff_t tile) {
    if (tile < 1)
      throw Error(Errc::bad_argument, "distributed_array '" + a.name() + "': tiles of " +
                                          std::to_string(tile) + " columns");
    return {.name = a.name(),
            .distribution = {Distribution::collapsed(), Distribution::cyclic(tile)},
            .order = Order::column_major};
  }

  std::ptrdiff_t tile_;
  distributed_array<T, 2> array_;
};

/// Right-hand sides, of which each member has some.
template <class T>
class DealtSides {
 public:
  DealtSides(const distributed_array<T, 2>& b, std::ptrdiff_t n, const std::string& name)
      : array_(b.team(), b.shape(),
               {.name = b.name(),
                .distribution = {Distribution::collapsed(), Distribution::block()},
                .order = Order::column_major}) {
    if (b.extent(0) != n)
      throw Error(Errc::bad_argument, "distributed_array '" + b.name() + "' of " +
                                          b.all().section().shape_text() +
                                          " has no right-hand sides for '" + name +
                                          "', which has " + std::to_string(n) + " rows");
    array_.all() = b.all();
  }
  [[nodiscard]] Columns<T> mine() {
    const auto local = array_.local();
    return {local.data(), local.extent(0), local.extent(0), local.extent(1)};
  }
  [[nodiscard]] const distributed_array<T, 2>& array() const { return array_; }

 private:
  distributed_array<T, 2> array_;
};

/// x = the solutions for right-hand sides b; solve(columns) solves for the caller's ones.
template <class T, class F>
void solve_dealt(distributed_array<T, 2>& x, const distributed_array<T, 2>& b, std::ptrdiff_t n,
                 const std::string& name, F solve) {
  DealtSides<T> sides(b, n, name);
  const Columns<T> mine = sides.mine();
  if (mine.count > 0) solve(mine);
  x.all() = sides.array().all();
}
template <class T, class Factors>
void solve_one(distributed_array<T, 1>& x, const distributed_array<T, 1>& b,
               const Factors& factors) {
  distributed_array<T, 2> both(b.team(), {b.extent(0), 1}, {.name = b.name()});
  both[{Range(), 0}] = b.all();
  factors.solve(both, both);
  x.all() = both[{Range(), 0}];
}

}  // namespace detail

/// The factors of a square matrix: its rows, exchanged, are a lower times an upper triangle
/// (Gaussian elimination with partial pivoting, as LAPACK's getrf). The matrix is not changed.
template <std::floating_point T>
class lu_factors {
 public:
  /// Collective. Throws Error(bad_argument), on every member, for a matrix that is not square, and
  /// one that is singular: then it names the column without a pivot.
  explicit lu_factors(const distributed_array<T, 2>& a, const solve_options& options = {})
      : columns_(a, options.tile) {
    for (std::ptrdiff_t first = 0; first < columns_.n(); first = columns_.end_of(first))
      step(first);
    columns_.team().barrier();
  }

  /// Collective: x = the solutions of A x = b, for each column of b. x may be b. Throws
  /// Error(bad_argument) if b has not as many rows as the matrix, or x has another shape.
  void solve(distributed_array<T, 2>& x, const distributed_array<T, 2>& b) const {
    detail::solve_dealt(x, b, columns_.n(), columns_.name(),
                        [this](const detail::Columns<T>& c) { solve_columns(c); });
  }
  void solve(distributed_array<T, 1>& x, const distributed_array<T, 1>& b) const {
    detail::solve_one(x, b, *this);
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
  /// Factors a tile, and updates what comes behind it.
  void step(std::ptrdiff_t first) {
    const std::ptrdiff_t last = columns_.end_of(first), width = last - first, n = columns_.n();
    const std::ptrdiff_t rows = n - first;
    std::vector<std::ptrdiff_t> pivots;
    panel_.resize(static_cast<std::size_t>(width * rows));
    if (columns_.has(first)) {
      const auto tile = columns_.mine(first).part(first, 0, rows, width);
      factor_columns(tile, pivots, first);
      for (std::ptrdiff_t j = 0; j < width; ++j)
        std::copy_n(tile.column(j), rows, panel_.data() + j * rows);
    }
    pivots.resize(static_cast<std::size_t>(width), -1);  // -1: there is none
    broadcast(columns_.team(), std::span<std::ptrdiff_t>(pivots), columns_.owner(first));
    const auto none = std::ranges::find(pivots, -1);
    if (none != pivots.end())
      throw Error(Errc::bad_argument, "distributed_array '" + columns_.name() +
                                          "' is singular: there is no pivot in column " +
                                          std::to_string(first + (none - pivots.begin())));
    pivots_.insert(pivots_.end(), pivots.begin(), pivots.end());
    broadcast(columns_.team(), std::span<T>(panel_), columns_.owner(first));
    const detail::Columns<T> tile{panel_.data(), rows, rows, width};
    // Columns before the tile are exchanged only.
    const auto all = columns_.mine(0), behind = columns_.mine(last);
    swap_rows(all.part(0, 0, n, columns_.mine(0).count - columns_.mine(first).count), first,
              pivots);
    swap_rows(behind, first, pivots);
    const auto top = behind.part(first, 0, width, behind.count);
    solve_lower(tile.part(0, 0, width, width), top, true);
    subtract_product(behind.part(last, 0, n - last, behind.count),
                     tile.part(width, 0, n - last, width), top);
  }
  void solve_columns(const detail::Columns<T>& c) const {
    const std::ptrdiff_t n = columns_.n();
    std::vector<T> buffer;
    swap_rows(c, 0, pivots_);
    for (std::ptrdiff_t first = 0; first < n; first = columns_.end_of(first)) {
      const std::ptrdiff_t last = columns_.end_of(first), width = last - first;
      columns_.get(first, last, first, n, buffer);
      const detail::Columns<T> tile{buffer.data(), n - first, n - first, width};
      const auto top = c.part(first, 0, width, c.count);
      solve_lower(tile.part(0, 0, width, width), top, true);
      subtract_product(c.part(last, 0, n - last, c.count), tile.part(width, 0, n - last, width),
                       top);
    }
    for (std::ptrdiff_t last = n; last > 0;) {
      const std::ptrdiff_t first = (last - 1) / columns_.tile() * columns_.tile();
      const std::ptrdiff_t width = last - first;
      columns_.get(first, last, 0, last, buffer);
      const detail::Columns<T> tile{buffer.data(), last, last, width};
      const auto bottom = c.part(first, 0, width, c.count);
      solve_upper(tile.part(first, 0, width, width), bottom);
      subtract_product(c.part(0, 0, first, c.count), tile.part(0, 0, first, width), bottom);
      last = first;
    }
  }

  detail::DealtColumns<T> columns_;
  std::vector<std::ptrdiff_t> pivots_;
  std::vector<T> panel_;
};

/// The factor of a symmetric positive definite matrix: a lower triangle, which times its transpose
/// is the matrix (Cholesky, LAPACK's potrf). The matrix is not changed; what lies above its
/// diagonal is not looked at.
template <std::floating_point T>
class cholesky_factor {
 public:
  /// Collective. Throws Error(bad_argument), on every member, for a matrix that is not square or
  /// not positive definite: then it names the column where that was found.
  explicit cholesky_factor(const distributed_array<T, 2>& a, const solve_options& options = {})
      : columns_(a, options.tile) {
    for (std::ptrdiff_t first = 0; first < columns_.n(); first = columns_.end_of(first))
      step(first);
    columns_.team().barrier();
  }

  /// Collective: as lu_factors::solve.
  void solve(distributed_array<T, 2>& x, const distributed_array<T, 2>& b) const {
    detail::solve_dealt(x, b, columns_.n(), columns_.name(),
                        [this](const detail::Columns<T>& c) { solve_columns(c); });
  }
  void solve(distributed_array<T, 1>& x, const distributed_array<T, 1>& b) const {
    detail::solve_one(x, b, *this);
  }
  /// The triangle. What lies above its diagonal is of no meaning.
  [[nodiscard]] const distributed_array<T, 2>& factor() const { return columns_.array(); }

 private:
  void step(std::ptrdiff_t first) {
    const std::ptrdiff_t last = columns_.end_of(first), width = last - first, n = columns_.n();
    const std::ptrdiff_t rows = n - first;
    panel_.resize(static_cast<std::size_t>(width * rows));
    std::ptrdiff_t good = 0;
    if (columns_.has(first)) {
      const auto tile = columns_.mine(first).part(first, 0, rows, width);
      good = factor_symmetric_columns(tile);
      for (std::ptrdiff_t j = 0; j < width; ++j)
        std::copy_n(tile.column(j), rows, panel_.data() + j * rows);
    }
    good = broadcast(columns_.team(), good, columns_.owner(first));
    if (good < width)
      throw Error(Errc::bad_argument, "distributed_array '" + columns_.name() +
                                          "' is not positive definite: column " +
                                          std::to_string(first + good));
    broadcast(columns_.team(), std::span<T>(panel_), columns_.owner(first));
    const detail::Columns<T> tile{panel_.data(), rows, rows, width};
    const auto behind = columns_.mine(last);
    const std::ptrdiff_t before = columns_.mine(0).count - behind.count;
    // Each tile of columns below its diagonal.
    for (std::ptrdiff_t j = 0; j < behind.count;) {
      const std::ptrdiff_t column = columns_.global_column(before + j);
      const std::ptrdiff_t count = columns_.end_of(column) - column;
      std::vector<T> turned(static_cast<std::size_t>(width * count));
      for (std::ptrdiff_t c = 0; c < count; ++c)
        for (std::ptrdiff_t k = 0; k < width; ++k)
          turned[static_cast<std::size_t>(c * width + k)] = tile(column + c - first, k);
      subtract_product(behind.part(column, j, n - column, count),
                       tile.part(column - first, 0, n - column, width),
                       detail::Columns<T>{turned.data(), width, width, count});
      j += count;
    }
  }
  void solve_columns(const detail::Columns<T>& c) const {
    const std::ptrdiff_t n = columns_.n();
    std::vector<T> buffer;
    for (std::ptrdiff_t first = 0; first < n; first = columns_.end_of(first)) {
      const std::ptrdiff_t last = columns_.end_of(first), width = last - first;
      columns_.get(first, last, first, n, buffer);
      const detail::Columns<T> tile{buffer.data(), n - first, n - first, width};
      const auto top = c.part(first, 0, width, c.count);
      solve_lower(tile.part(0, 0, width, width), top, false);
      subtract_product(c.part(last, 0, n - last, c.count), tile.part(width, 0, n - last, width),
                       top);
    }
    for (std::ptrdiff_t last = n; last > 0;) {
      const std::ptrdiff_t first = (last - 1) / columns_.tile() * columns_.tile();
      const std::ptrdiff_t width = last - first;
      columns_.get(first, last, first, n, buffer);
      const detail::Columns<T> tile{buffer.data(), n - first, n - first, width};
      std::vector<T> turned(static_cast<std::size_t>(width * (n - last)));  // a row for each column
      for (std::ptrdiff_t k = 0; k < width; ++k)
        for (std::ptrdiff_t i = 0; i < n - last; ++i)
          turned[static_cast<std::size_t>(i * width + k)] = tile(width + i, k);
      const auto top = c.part(first, 0, width, c.count);
      subtract_product(top, detail::Columns<T>{turned.data(), width, width, n - last},
                       c.part(last, 0, n - last, c.count));
      solve_lower_transposed(tile.part(0, 0, width, width), top);
      last = first;
    }
  }

  detail::DealtColumns<T> columns_;
  std::vector<T> panel_;
};

/// Collective: x = the solutions of a x = b, for each column of b.
template <std::floating_point T, int N>
requires(N <= 2) void solve(const distributed_array<T, 2>& a, distributed_array<T, N>& x,
                            const distributed_array<T, N>& b, const solve_options& options = {}) {
  lu_factors<T>(a, options).solve(x, b);
}

}  // namespace armature
