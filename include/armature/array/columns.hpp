#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "armature/array/product.hpp"

namespace armature::detail {

/// Columns of a matrix in local memory, each in one piece, as in Fortran.
template <class T>
struct Columns {
  T* data;
  std::ptrdiff_t stride;  // from a column to the next
  std::ptrdiff_t rows;
  std::ptrdiff_t count;

  [[nodiscard]] T* column(std::ptrdiff_t j) const { return data + j * stride; }
  [[nodiscard]] T& operator()(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return data[i + j * stride];
  }
  /// Rows and columns from there on, so many.
  [[nodiscard]] Columns part(std::ptrdiff_t row, std::ptrdiff_t column, std::ptrdiff_t row_count,
                             std::ptrdiff_t column_count) const {
    // A member without columns has no memory.
    return {data == nullptr ? data : data + row + column * stride, stride, row_count, column_count};
  }
};

/// c -= l * u.
template <class T>
void subtract_product(const Columns<T>& c, const Columns<T>& l, const Columns<T>& u) {
  if (c.rows == 0 || c.count == 0 || l.count == 0) return;
  // Columns are rows of the transposed matrices, whose product comes in the opposite order.
  subtract_dense(c.data, u.data, l.data, {c.count, c.rows, l.count, c.stride, u.stride, l.stride});
}

/// c = the inverse of a lower triangle times c; `is_unit`: its diagonal is 1.
template <class T>
void solve_lower(const Columns<T>& l, const Columns<T>& c, bool is_unit) {
  constexpr std::ptrdiff_t small = 16;
  if (l.count > small && c.count > 1) {
    // The upper half, what it does to the lower one, and that.
    const std::ptrdiff_t upper = l.count / 2, lower = l.count - upper;
    const Columns<T> rest = c.part(upper, 0, lower, c.count);
    const Columns<T> above = c.part(0, 0, upper, c.count);
    solve_lower(l.part(0, 0, upper, upper), above, is_unit);
    subtract_product(rest, l.part(upper, 0, lower, upper), above);
    return solve_lower(l.part(upper, upper, lower, lower), rest, is_unit);
  }
  for (std::ptrdiff_t j = 0; j < c.count; ++j) {
    T* const x = c.column(j);
    for (std::ptrdiff_t k = 0; k < l.count; ++k) {
      if (!is_unit) x[k] /= l(k, k);
      const T factor = x[k];
      const T* const from = l.column(k);
      for (std::ptrdiff_t i = k + 1; i < l.count; ++i) x[i] -= factor * from[i];
    }
  }
}
/// c = the inverse of an upper triangle times c.
template <class T>
void solve_upper(const Columns<T>& u, const Columns<T>& c) {
  for (std::ptrdiff_t j = 0; j < c.count; ++j) {
    T* const x = c.column(j);
    for (std::ptrdiff_t k = u.count; k-- > 0;) {
      x[k] /= u(k, k);
      const T factor = x[k];
      const T* const from = u.column(k);
      for (std::ptrdiff_t i = 0; i < k; ++i) x[i] -= factor * from[i];
    }
  }
}
/// c = the inverse of a lower triangle's transpose times c.
template <class T>
void solve_lower_transposed(const Columns<T>& l, const Columns<T>& c) {
  for (std::ptrdiff_t j = 0; j < c.count; ++j) {
    T* const x = c.column(j);
    for (std::ptrdiff_t k = l.count; k-- > 0;) {
      const T* const from = l.column(k);
      T sum = x[k];
      for (std::ptrdiff_t i = k + 1; i < l.count; ++i) sum -= from[i] * x[i];
      x[k] = sum / from[k];
    }
  }
}

/// Exchanges row first + k with row with[k], one after the other.
template <class T, class Row>
void swap_rows(const Columns<T>& c, std::ptrdiff_t first, const std::vector<Row>& with) {
  for (std::ptrdiff_t j = 0; j < c.count; ++j) {
    T* const x = c.column(j);
    for (std::size_t k = 0; k < with.size(); ++k)
      std::swap(x[first + static_cast<std::ptrdiff_t>(k)], x[with[k]]);
  }
}

/// Factors columns into a lower triangle, whose diagonal is 1, and an upper one, and appends the
/// rows with which each was exchanged. Returns false if there is no pivot, in column
/// pivots.size().
template <class T>
bool factor_columns(const Columns<T>& c, std::vector<std::ptrdiff_t>& pivots,
                    std::ptrdiff_t first) {
  constexpr std::ptrdiff_t narrow = 8;
  if (c.count > narrow) {
    // The left half, what it does to the right one, and that.
    const std::ptrdiff_t left = c.count / 2, right = c.count - left;
    if (!factor_columns(c.part(0, 0, c.rows, left), pivots, first)) return false;
    const std::vector<std::ptrdiff_t> exchanged(pivots.end() - left, pivots.end());
    std::vector<std::ptrdiff_t> here;
    for (const std::ptrdiff_t row : exchanged) here.push_back(row - first);
    const Columns<T> rest = c.part(0, left, c.rows, right);
    swap_rows(rest, 0, here);
    solve_lower(c.part(0, 0, left, left), rest, true);
    subtract_product(c.part(left, left, c.rows - left, right), c.part(left, 0, c.rows - left, left),
                     c.part(0, left, left, right));
    if (!factor_columns(c.part(left, left, c.rows - left, right), pivots, first + left))
      return false;
    here.clear();
    for (auto row = pivots.end() - right; row != pivots.end(); ++row) here.push_back(*row - first);
    swap_rows(c.part(0, 0, c.rows, left), left, here);
    return true;
  }
  for (std::ptrdiff_t k = 0; k < c.count; ++k) {
    T* const x = c.column(k);
    const T* const best = std::max_element(
        x + k, x + c.rows, [](const T& a, const T& b) { return std::abs(a) < std::abs(b); });
    if (!(std::abs(*best) > T(0))) return false;
    const std::ptrdiff_t row = best - x;
    pivots.push_back(first + row);
    for (std::ptrdiff_t j = 0; j < c.count; ++j) std::swap(c(k, j), c(row, j));
    const T by = T(1) / x[k];
    for (std::ptrdiff_t i = k + 1; i < c.rows; ++i) x[i] *= by;
    for (std::ptrdiff_t j = k + 1; j < c.count; ++j) {
      const T factor = c(k, j);
      T* const y = c.column(j);
      for (std::ptrdiff_t i = k + 1; i < c.rows; ++i) y[i] -= factor * x[i];
    }
  }
  return true;
}

/// Factors the columns of a symmetric matrix, of which those below the diagonal are looked at, into
/// a lower triangle times its transpose. Returns how many columns could be: all, if it is positive
/// definite.
template <class T>
std::ptrdiff_t factor_symmetric_columns(const Columns<T>& c) {
  for (std::ptrdiff_t k = 0; k < c.count; ++k) {
    T* const x = c.column(k);
    if (!(x[k] > T(0))) return k;
    const T root = std::sqrt(x[k]);
    for (std::ptrdiff_t i = k; i < c.rows; ++i) x[i] /= root;
    for (std::ptrdiff_t j = k + 1; j < c.count; ++j) {
      const T factor = x[j];
      T* const y = c.column(j);
      for (std::ptrdiff_t i = j; i < c.rows; ++i) y[i] -= factor * x[i];
    }
  }
  return c.count;
}

}  // namespace armature::detail
