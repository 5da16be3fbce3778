#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armature/array/distributed_array.hpp"
#include "armature/array/schedule.hpp"
#include "armature/array/solve.hpp"
#include "armature/array/square.hpp"
#include "armature/array/tridiagonal.hpp"
#include "armature/collectives.hpp"
#include "armature/error.hpp"

// Eigenvalues and eigenvectors of symmetric matrices (Global Arrays' GA_Diag, LAPACK's syev and
// sygv), for matrices of any distributions. All is collective.
//
// Reflections make the matrix tridiagonal, one column after the other: each member has every n-th
// row, and a column takes a broadcast and an allgather. Then rotations make it diagonal. These are
// computed by all members from the same numbers, and each turns its own rows of the eigenvectors.

namespace armature {

namespace detail {

/// A symmetric matrix on its way to its eigenvalues.
template <class T>
class SymmetricMatrix {
 public:
  SymmetricMatrix(const distributed_array<T, 2>& a, bool has_vectors)
      : rows_(a.team(), square_shape(a), dealt(a, Order::row_major)),
        n_(a.extent(0)),
        members_(a.team().size()),
        me_(a.team().rank()) {
    rows_.all() = a.all();
    if (has_vectors) {
      vectors_.emplace(a.team(), a.shape(), dealt(a, Order::column_major));
      for_each_diagonal(*vectors_, [](T& x) { x = T(1); });
    }
  }

  /// Returns the eigenvalues, ascending. Throws Error(bad_argument) on every member.
  std::vector<T> eigenvalues() {
    const T largest = norm_max(rows_);
    if (!std::isfinite(largest) || !all_of(rows_, [](T x) { return std::isfinite(x); }))
      throw Error(Errc::bad_argument, "distributed_array '" + rows_.name() +
                                          "' has elements that are not finite: no eigenvalues");
    if (largest > T(0)) for_each(rows_, [largest](T& x) { x /= largest; });
    symmetrize(rows_);
    reflect();
    TridiagonalEigenvalues<T> values(diagonal_, beside_);
    if (!values.find([this](auto rotations) { turn(rotations); }))
      throw Error(Errc::bad_argument, "distributed_array '" + rows_.name() +
                                          "': its eigenvalues were not found in 60 n steps");
    sort();
    for (T& value : diagonal_) value *= largest > T(0) ? largest : T(1);
    return diagonal_;
  }
  /// Column k belongs to eigenvalue number k.
  [[nodiscard]] const distributed_array<T, 2>& vectors() const { return *vectors_; }

 private:
  static std::array<std::ptrdiff_t, 2> square_shape(const distributed_array<T, 2>& a) {
    if (a.extent(0) != a.extent(1))
      throw Error(Errc::bad_argument, "distributed_array '" + a.name() + "' of " +
                                          a.all().section().shape_text() + " is not square");
    return a.shape();
  }
  static array_options<2> dealt(const distributed_array<T, 2>& a, Order order) {
    return {.name = a.name(),
            .distribution = {Distribution::cyclic(), Distribution::collapsed()},
            .grid = {a.team().size(), 1},
            .order = order};
  }
  /// The caller's first row behind row `k`, as a local index.
  [[nodiscard]] std::ptrdiff_t behind(std::ptrdiff_t k, int member) const {
    return member > k ? 0 : (k - member) / members_ + 1;
  }

  void reflect() {
    diagonal_.resize(static_cast<std::size_t>(n_));
    beside_.resize(static_cast<std::size_t>(std::max<std::ptrdiff_t>(n_ - 1, 0)));
    const auto mine = rows_.local();
    std::vector<T> row, products;
    for (std::ptrdiff_t k = 0; k < n_; ++k) {
      row.resize(static_cast<std::size_t>(n_ - k));
      const int owner = static_cast<int>(k % members_);
      if (owner == me_) std::copy_n(&mine(k / members_, k), n_ - k, row.begin());
      broadcast(rows_.team(), std::span<T>(row), owner);
      diagonal_[static_cast<std::size_t>(k)] = row[0];
      const std::span<T> v = std::span<T>(row).subspan(1);
      const Reflection<T> reflection(v);
      if (k + 1 < n_) beside_[static_cast<std::size_t>(k)] = reflection.value;
      if (!(std::abs(reflection.factor) > T(0))) continue;
      multiply(v, k, reflection.factor, products);
      update(v, k, products);
      if (vectors_) turn(v, k, reflection.factor);
    }
  }
  /// products = factor * (the rows and columns behind k) * v - half of what is along v.
  void multiply(std::span<const T> v, std::ptrdiff_t k, T factor, std::vector<T>& products) {
    const auto mine = std::as_const(rows_).local();
    const std::ptrdiff_t count = n_ - k - 1;
    const auto piece = static_cast<std::size_t>((count + members_ - 1) / members_);
    piece_.assign(piece, T(0));
    const std::ptrdiff_t first = behind(k, me_);
    for (std::ptrdiff_t i = first; i < mine.extent(0); ++i)
      piece_[static_cast<std::size_t>(i - first)] =
          factor * dot_dense(&mine(i, k + 1), v.data(), count);
    pieces_.resize(piece * static_cast<std::size_t>(members_));
    allgather(rows_.team(), std::span<const T>(piece_), std::span<T>(pieces_));
    products.resize(v.size());
    for (int m = 0; m < members_; ++m) {
      const T* from = pieces_.data() + static_cast<std::ptrdiff_t>(piece) * m;
      for (std::ptrdiff_t i = behind(k, m) * members_ + m; i < n_; i += members_)
        products[static_cast<std::size_t>(i - k - 1)] = *from++;
    }
    const T along = factor / 2 * dot_dense(products.data(), v.data(), count);
    for (std::size_t i = 0; i < v.size(); ++i) products[i] -= along * v[i];
  }
  /// Subtracts v products' + products v' from what lies behind row and column k.
  void update(std::span<const T> v, std::ptrdiff_t k, const std::vector<T>& products) {
    const auto mine = rows_.local();
    const auto count = static_cast<std::ptrdiff_t>(v.size());
    for (std::ptrdiff_t i = behind(k, me_); i < mine.extent(0); ++i) {
      const auto at = static_cast<std::size_t>(i * members_ + me_ - k - 1);
      const T by_products = v[at], by_v = products[at];
      T* const row = &mine(i, k + 1);
      for (std::ptrdiff_t j = 0; j < count; ++j)
        row[j] -= by_products * products[static_cast<std::size_t>(j)] +
                  by_v * v[static_cast<std::size_t>(j)];
    }
  }
  /// Reflects the caller's rows of the eigenvectors.
  void turn(std::span<const T> v, std::ptrdiff_t k, T factor) {
    const auto mine = vectors_->local();
    const std::ptrdiff_t rows = mine.extent(0);
    piece_.assign(static_cast<std::size_t>(rows), T(0));
    for (std::size_t j = 0; j < v.size() && rows > 0; ++j) {
      const T* const column = &mine(0, k + 1 + static_cast<std::ptrdiff_t>(j));
      for (std::ptrdiff_t i = 0; i < rows; ++i)
        piece_[static_cast<std::size_t>(i)] += v[j] * column[i];
    }
    for (std::size_t j = 0; j < v.size() && rows > 0; ++j) {
      T* const column = &mine(0, k + 1 + static_cast<std::ptrdiff_t>(j));
      const T by = factor * v[j];
      for (std::ptrdiff_t i = 0; i < rows; ++i)
        column[i] -= by * piece_[static_cast<std::size_t>(i)];
    }
  }
  /// Rotates them: some rows after the other, which stay in the cache meanwhile.
  void turn(std::span<const PlaneRotation<T>> rotations) {
    if (!vectors_) return;
    constexpr std::ptrdiff_t rows_at_once = 64;
    const auto mine = vectors_->local();
    for (std::ptrdiff_t first = 0; first < mine.extent(0); first += rows_at_once) {
      const std::ptrdiff_t rows = std::min(rows_at_once, mine.extent(0) - first);
      for (const PlaneRotation<T>& one : rotations) {
        T *const x = &mine(first, one.k), *const y = &mine(first, one.k + 1);
        for (std::ptrdiff_t i = 0; i < rows; ++i) {
          const T left = x[i], right = y[i];
          x[i] = one.cosine * left + one.sine * right;
          y[i] = one.cosine * right - one.sine * left;
        }
      }
    }
  }
  /// Brings eigenvalues, and columns with them, in ascending order.
  void sort() {
    std::vector<std::size_t> order(diagonal_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [this](std::size_t k) { return diagonal_[k]; });
    std::vector<T> values;
    for (const std::size_t k : order) values.push_back(diagonal_[k]);
    diagonal_ = std::move(values);
    if (!vectors_) return;
    const std::span<T> mine = vectors_->local_memory();
    const std::vector<T> before(mine.begin(), mine.end());
    const auto rows = n_ == 0 ? 0 : mine.size() / static_cast<std::size_t>(n_);
    for (std::size_t k = 0; k < order.size(); ++k)
      std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(order[k] * rows), rows,
                  mine.begin() + static_cast<std::ptrdiff_t>(k * rows));
    vectors_->fence();
  }

  distributed_array<T, 2> rows_;
  std::optional<distributed_array<T, 2>> vectors_;
  std::ptrdiff_t n_;
  int members_, me_;
  std::vector<T> diagonal_, beside_;
  std::vector<T> piece_, pieces_;
};

}  // namespace detail

/// Returns the eigenvalues of a symmetric matrix at all members, ascending. What counts is the mean
/// of the matrix and its transpose. Throws Error(bad_argument), on every member, for a matrix that
/// is not square and for elements that are not finite.
template <std::floating_point T>
[[nodiscard]] std::vector<T> symmetric_eigenvalues(const distributed_array<T, 2>& a) {
  return detail::SymmetricMatrix<T>(a, false).eigenvalues();
}

/// Returns the eigenvalues, too; column k of `vectors` becomes the eigenvector of eigenvalue number
/// k. They are of length 1 and orthogonal. `vectors` may be the matrix, and has the same shape.
template <std::floating_point T>
std::vector<T> symmetric_eigenvectors(distributed_array<T, 2>& vectors,
                                      const distributed_array<T, 2>& a) {
  detail::require_same_shape(vectors, a, "symmetric_eigenvectors");
  detail::SymmetricMatrix<T> matrix(a, true);
  auto values = matrix.eigenvalues();
  vectors.all() = matrix.vectors().all();
  return values;
}

/// Solves a x = value b x, where `b` is symmetric and positive definite (GA_Diag, sygv of type 1):
/// of eigenvectors x and y, x' b y is 1 if they are the same, else 0. Throws Error(bad_argument),
/// too, if `b` is not positive definite.
template <std::floating_point T>
std::vector<T> symmetric_eigenvectors(distributed_array<T, 2>& vectors,
                                      const distributed_array<T, 2>& a,
                                      const distributed_array<T, 2>& b) {
  detail::require_same_shape(vectors, a, "symmetric_eigenvectors");
  detail::require_same_shape(b, a, "symmetric_eigenvectors");
  const cholesky_factor<T> factor(b);
  // With b = l l', what is looked for is l' x, of the inverse of l times a times that of l'.
  auto half = distributed_array<T, 2>::like(a, a.name());
  auto turned = distributed_array<T, 2>::like(a, a.name());
  factor.solve_lower(half, a);
  transpose(turned, half);
  factor.solve_lower(turned, turned);
  auto values = symmetric_eigenvectors(half, turned);
  factor.solve_transposed(vectors, half);
  return values;
}

}  // namespace armature
