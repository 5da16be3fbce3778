#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/array/arithmetic.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/array/elements.hpp"
#include "armature/array/reduce.hpp"
#include "armature/array/section_transform.hpp"
#include "armature/error.hpp"

// Matrices have diagonals, rows and columns, and may be symmetric. All are collective. The
// diagonal of a matrix of m x n has min(m, n) elements.

namespace armature {

namespace detail {
/// Calls f(indices in the caller's block, number on the diagonal) for the caller's own elements of
/// the diagonal.
template <class T, class F>
void for_diagonal(const distributed_array<T, 2>& matrix, F f) {
  const auto local = matrix.local();
  const auto& columns = matrix.layout().axis(1);
  const auto at = matrix.layout().place(matrix.store().me());
  if (local.size() == 0) return;
  for (std::ptrdiff_t i = 0; i < local.extent(0); ++i) {
    const std::ptrdiff_t k = matrix.global({i, 0})[0];
    if (k < columns.extent() && columns.owner(k) == at[1])
      f(typename distributed_array<T, 2>::Indices{i, columns.local(k)}, k);
  }
}
template <class T>
void require_length(const distributed_array<T, 1>& line, const distributed_array<T, 2>& matrix,
                    std::ptrdiff_t length, const char* what) {
  if (line.extent(0) == length) return;
  throw Error(Errc::bad_argument, "distributed_array '" + line.name() + "' has " +
                                      std::to_string(line.extent(0)) + " elements, the " + what +
                                      " of '" + matrix.name() + "' " + std::to_string(length));
}
template <class T>
std::ptrdiff_t diagonal_length(const distributed_array<T, 2>& matrix) {
  return std::min(matrix.extent(0), matrix.extent(1));
}
}  // namespace detail

/// line = the diagonal of a matrix. Throws Error(bad_argument) for a line of another length.
template <class T>
void get_diagonal(distributed_array<T, 1>& line, const distributed_array<T, 2>& matrix) {
  detail::require_length(line, matrix, detail::diagonal_length(matrix), "diagonal");
  line.fence();
  std::vector<typename distributed_array<T, 1>::Indices> at;
  std::vector<T> values;
  if (matrix.layout().placement().is_original(matrix.store().me()))
    detail::for_diagonal(matrix, [&](const auto& local, std::ptrdiff_t k) {
      at.push_back({k});
      values.push_back(matrix.local()[local]);
    });
  scatter(line, at, values);
  line.fence();
}
/// The diagonal of a matrix = line.
template <class T>
void set_diagonal(distributed_array<T, 2>& matrix, const distributed_array<T, 1>& line) {
  detail::require_length(line, matrix, detail::diagonal_length(matrix), "diagonal");
  line.fence();
  std::vector<typename distributed_array<T, 1>::Indices> at;
  detail::for_diagonal(matrix, [&](const auto&, std::ptrdiff_t k) { at.push_back({k}); });
  std::vector<T> values(at.size());
  gather(line, at, values);
  auto next = values.begin();
  detail::for_diagonal(matrix,
                       [&](const auto& local, std::ptrdiff_t) { matrix.local()[local] = *next++; });
  matrix.fence();
}
/// Calls f(element) for the elements of the diagonal, each at the members that have it.
template <class T, class F>
requires std::invocable<F&, T&>
void for_each_diagonal(distributed_array<T, 2>& matrix, F f) {
  matrix.fence();
  detail::for_diagonal(matrix,
                       [&](const auto& local, std::ptrdiff_t) { f(matrix.local()[local]); });
  matrix.fence();
}
/// Returns the sum of the diagonal, at all members.
template <class T>
[[nodiscard]] T trace(const distributed_array<T, 2>& matrix) {
  matrix.fence();
  T mine = T();
  if (matrix.layout().placement().is_original(matrix.store().me()))
    detail::for_diagonal(matrix,
                         [&](const auto& local, std::ptrdiff_t) { mine += matrix.local()[local]; });
  return allreduce(matrix.team(), mine);
}

/// matrix = (matrix + its transpose) / 2. Throws Error(bad_argument) unless it is square.
template <class T>
void symmetrize(distributed_array<T, 2>& matrix) {
  if (matrix.extent(0) != matrix.extent(1))
    throw Error(Errc::bad_argument, "distributed_array '" + matrix.name() +
                                        "' cannot be symmetric: it is of " +
                                        matrix.all().section().shape_text());
  const auto& seen = std::as_const(matrix);
  transform(
      matrix.all(), [](const T& x, const T& y) { return static_cast<T>((x + y) / T(2)); },
      seen.all(), seen.all().transposed());
}

/// Multiplies row i by line(i); scale_columns: column j by line(j). Throws Error(bad_argument) for
/// a line of another length.
template <class T>
void scale_rows(distributed_array<T, 2>& matrix, const distributed_array<T, 1>& line) {
  detail::require_length(line, matrix, matrix.extent(0), "columns");
  transform(matrix.all(), std::multiplies<T>(), std::as_const(matrix).all(),
            line.all().spread(1, matrix.extent(1)));
}
template <class T>
void scale_columns(distributed_array<T, 2>& matrix, const distributed_array<T, 1>& line) {
  detail::require_length(line, matrix, matrix.extent(1), "rows");
  transform(matrix.all(), std::multiplies<T>(), std::as_const(matrix).all(),
            line.all().spread(0, matrix.extent(0)));
}

namespace detail {
/// Returns the largest sum of amounts along a dimension, or 0.
template <class T>
auto largest_line(const distributed_array<T, 2>& matrix, int d) {
  using Amount = decltype(std::abs(T()));
  if (matrix.size() == 0) return Amount();
  distributed_array<Amount, 2> amounts = distributed_array<Amount, 2>::like(matrix, matrix.name());
  transform(
      amounts, [](const T& x) { return static_cast<Amount>(std::abs(x)); }, matrix);
  distributed_array<Amount, 1> sums(matrix.team(), {matrix.extent(1 - d)});
  reduce_along(sums, amounts, d);
  return norm_max(sums);
}
}  // namespace detail

/// Returns the norm of a matrix as an operator: the largest sum of amounts in a column (1-norm), or
/// in a row (infinity-norm). That of all elements together is norm_2 (Frobenius).
template <class T>
[[nodiscard]] auto matrix_norm_1(const distributed_array<T, 2>& matrix) {
  return detail::largest_line(matrix, 0);
}
template <class T>
[[nodiscard]] auto matrix_norm_infinity(const distributed_array<T, 2>& matrix) {
  return detail::largest_line(matrix, 1);
}

}  // namespace armature
