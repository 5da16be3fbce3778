#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace armature::detail {

/// A plane rotation of columns k and k + 1 of the eigenvectors.
template <class T>
struct PlaneRotation {
  std::ptrdiff_t k;
  T cosine, sine;
};

/// The square root of a sum of squares. Not std::hypot: on another processor that might round
/// otherwise, and members must not differ.
template <class T>
T root_of_squares(T a, T b) {
  const T larger = std::max(std::abs(a), std::abs(b)), smaller = std::min(std::abs(a), std::abs(b));
  if (!(larger > T(0))) return T(0);
  const T ratio = smaller / larger;
  return larger * std::sqrt(T(1) + ratio * ratio);
}

/// The eigenvalues of a symmetric tridiagonal matrix, by the implicit QR method with Wilkinson's
/// shifts (Golub and Van Loan, Matrix Computations, 8.3). Elements are at most about 1 in amount.
template <class T>
class TridiagonalEigenvalues {
 public:
  TridiagonalEigenvalues(std::vector<T>& diagonal, std::vector<T>& beside)
      : d_(diagonal), e_(beside) {}

  /// Calls turned(rotations) behind each step. Returns false if the steps are too many.
  template <class F>
  [[nodiscard]] bool find(F turned) {
    constexpr std::ptrdiff_t steps_of_each = 60;
    std::ptrdiff_t steps = steps_of_each * std::ssize(d_);
    for (std::ptrdiff_t last = std::ssize(d_) - 1; last > 0;) {
      if (is_negligible(last - 1)) {
        e(last - 1) = T(0);
        --last;
        continue;
      }
      std::ptrdiff_t first = last - 1;
      while (first > 0 && !is_negligible(first - 1)) --first;
      if (steps-- == 0) return false;
      step(first, last);
      turned(std::span<const PlaneRotation<T>>(rotations_));
    }
    return true;
  }

 private:
  T& d(std::ptrdiff_t k) { return d_[static_cast<std::size_t>(k)]; }
  T& e(std::ptrdiff_t k) { return e_[static_cast<std::size_t>(k)]; }
  bool is_negligible(std::ptrdiff_t k) {
    constexpr T unit = std::numeric_limits<T>::epsilon();
    return std::abs(e(k)) <= unit * (std::abs(d(k)) + std::abs(d(k + 1))) + unit * unit;
  }
  /// The eigenvalue of the last two rows that is nearer to the last element.
  T shift(std::ptrdiff_t last) {
    const T half = (d(last - 1) - d(last)) / 2, beside = e(last - 1);
    const T root = root_of_squares(half, beside);
    return d(last) - beside * (beside / (half < T(0) ? half - root : half + root));
  }
  void step(std::ptrdiff_t first, std::ptrdiff_t last) {
    rotations_.clear();
    T x = d(first) - shift(last), z = e(first);
    for (std::ptrdiff_t k = first; k < last; ++k) {
      const T r = root_of_squares(x, z);
      const T c = r > T(0) ? x / r : T(1), s = r > T(0) ? z / r : T(0);
      if (k > first) e(k - 1) = r;
      const T upper = d(k), lower = d(k + 1), beside = e(k), crossed = 2 * c * s * beside;
      d(k) = c * c * upper + crossed + s * s * lower;
      d(k + 1) = s * s * upper - crossed + c * c * lower;
      e(k) = c * s * (lower - upper) + (c * c - s * s) * beside;
      if (k + 1 < last) {
        x = e(k);
        z = s * e(k + 1);
        e(k + 1) *= c;
      }
      rotations_.push_back({k, c, s});
    }
  }

  std::vector<T>& d_;
  std::vector<T>& e_;  // element k lies beside elements k and k + 1 of the diagonal
  std::vector<PlaneRotation<T>> rotations_;
};

/// A sum of products, in an order that the compiler can make vectors of.
template <class T>
T dot_dense(const T* a, const T* b, std::ptrdiff_t count) {
  std::array<T, 8> sums{};
  std::ptrdiff_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (std::size_t k = 0; k < 8; ++k)
      sums[k] += a[i + static_cast<std::ptrdiff_t>(k)] * b[i + static_cast<std::ptrdiff_t>(k)];
  T sum = T(0);
  for (; i < count; ++i) sum += a[i] * b[i];
  for (const T& one : sums) sum += one;
  return sum;
}

/// Makes `x` the vector v of the reflection 1 - factor v v' that turns it into (value, 0, ...),
/// where v begins with 1. A factor of 0 turns nothing.
template <class T>
struct Reflection {
  T value, factor;

  explicit Reflection(std::span<T> x) : value(x.empty() ? T(0) : x[0]), factor(T(0)) {
    T largest = T(0);
    for (const T& one : x.subspan(x.empty() ? 0 : 1)) largest = std::max(largest, std::abs(one));
    if (x.empty() || !(largest > T(0))) {
      if (!x.empty()) x[0] = T(1);
      return;
    }
    largest = std::max(largest, std::abs(x[0]));
    T squares = T(0);
    for (const T& one : x) squares += (one / largest) * (one / largest);
    const T first = x[0], length = largest * std::sqrt(squares);
    value = first > T(0) ? -length : length;
    factor = (value - first) / value;
    for (T& one : x) one /= first - value;
    x[0] = T(1);
  }
};

}  // namespace armature::detail
