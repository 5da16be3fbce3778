#pragma once

#include <concepts>
#include <cstddef>

#include "armature/error.hpp"

namespace armature::detail {

/// Matrices as in C: sums are m x n, a is m x k, b is k x n. Strides are from a row to the next.
struct DenseShape {
  std::ptrdiff_t m, n, k;
  std::ptrdiff_t stride;  // of the sums
  std::ptrdiff_t a_stride;
  std::ptrdiff_t b_stride;
};

/// sums += a * b, of matrices as in C: m x k, k x n and m x n. The factors are dense; rows of the
/// sums are `stride` elements apart.
template <class T>
void multiply_dense(T* sums, const T* a, const T* b, std::ptrdiff_t m, std::ptrdiff_t n,
                    std::ptrdiff_t k, std::ptrdiff_t stride) {
  for (std::ptrdiff_t i = 0; i < m; ++i)
    for (std::ptrdiff_t l = 0; l < k; ++l) {
      const T factor = a[i * k + l];
      for (std::ptrdiff_t j = 0; j < n; ++j) sums[i * stride + j] += factor * b[l * n + j];
    }
}
/// These are compiled for what the machine can do.
ARMATURE_API void multiply_dense(double* sums, const double* a, const double* b, std::ptrdiff_t m,
                                 std::ptrdiff_t n, std::ptrdiff_t k, std::ptrdiff_t stride);
ARMATURE_API void multiply_dense(float* sums, const float* a, const float* b, std::ptrdiff_t m,
                                 std::ptrdiff_t n, std::ptrdiff_t k, std::ptrdiff_t stride);

/// sums -= a * b
template <class T>
void subtract_dense(T* sums, const T* a, const T* b, const DenseShape& shape) {
  for (std::ptrdiff_t i = 0; i < shape.m; ++i)
    for (std::ptrdiff_t l = 0; l < shape.k; ++l) {
      const T factor = a[i * shape.a_stride + l];
      for (std::ptrdiff_t j = 0; j < shape.n; ++j)
        sums[i * shape.stride + j] -= factor * b[l * shape.b_stride + j];
    }
}
ARMATURE_API void subtract_dense(double* sums, const double* a, const double* b,
                                 const DenseShape& shape);
ARMATURE_API void subtract_dense(float* sums, const float* a, const float* b,
                                 const DenseShape& shape);

}  // namespace armature::detail
