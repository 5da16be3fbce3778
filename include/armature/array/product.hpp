#pragma once

#include <concepts>
#include <cstddef>

#include "armature/error.hpp"

namespace armature::detail {

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

}  // namespace armature::detail
