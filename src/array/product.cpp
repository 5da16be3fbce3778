#include "armature/array/product.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "array/blas.hpp"

// The local part of a matrix product: tiles of the sums stay in registers while they go along a
// strip of columns, which is packed so that it stays in the first cache. A machine with a fast BLAS
// has it do large products (blas.cpp).

namespace armature::detail {
namespace {

template <class T, int bytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(bytes), aligned(alignof(T)), may_alias));
};

/// sums += rows of a * a strip, or -= with `subtracts`. A strip has `vectors` vectors for each of
/// the k rows.
template <class T, int bytes, int rows, int vectors, bool subtracts>
[[gnu::always_inline]] inline void add_tile(T* sums, std::ptrdiff_t sums_stride, const T* const* a,
                                            const T* strip, std::ptrdiff_t k) {
  using V = typename VectorOf<T, bytes>::type;
  constexpr int lanes = bytes / static_cast<int>(sizeof(T));
  V tile[rows][vectors] = {};
  for (std::ptrdiff_t l = 0; l < k; ++l) {
    V of_strip[vectors];
    for (int v = 0; v < vectors; ++v)
      of_strip[v] = *reinterpret_cast<const V*>(strip + (l * vectors + v) * lanes);
    for (int r = 0; r < rows; ++r) {
      const T factor = a[r][l];
      for (int v = 0; v < vectors; ++v) tile[r][v] += factor * of_strip[v];
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v)
      *reinterpret_cast<V*>(sums + r * sums_stride + v * lanes) +=
          subtracts ? -tile[r][v] : tile[r][v];
}

template <class T, int bytes, int rows, int vectors, bool subtracts>
[[gnu::always_inline]] inline void multiply_by_tiles(T* sums, const T* a, const T* b,
                                                     const DenseShape& shape, T* strip) {
  constexpr std::ptrdiff_t width = bytes / static_cast<std::ptrdiff_t>(sizeof(T)) * vectors;
  const auto [m, n, k, stride, a_stride, b_stride] = shape;
  for (std::ptrdiff_t j = 0; j < n; j += width) {
    const std::ptrdiff_t columns = std::min(width, n - j);
    for (std::ptrdiff_t l = 0; l < k; ++l)
      std::memcpy(strip + l * width, b + l * b_stride + j,
                  static_cast<std::size_t>(columns) * sizeof(T));
    for (std::ptrdiff_t i = 0; i < m; i += rows) {
      const T* of_a[rows];
      // Beyond the last row it is taken again, for sums that nobody looks at.
      for (std::ptrdiff_t r = 0; r < rows; ++r) of_a[r] = a + std::min(i + r, m - 1) * a_stride;
      if (columns == width && i + rows <= m) {
        add_tile<T, bytes, rows, vectors, subtracts>(sums + i * stride + j, stride, of_a, strip, k);
        continue;
      }
      T edge[rows * width] = {};
      add_tile<T, bytes, rows, vectors, subtracts>(edge, width, of_a, strip, k);
      for (std::ptrdiff_t r = 0; r < std::min<std::ptrdiff_t>(rows, m - i); ++r)
        for (std::ptrdiff_t c = 0; c < columns; ++c)
          sums[(i + r) * stride + j + c] += edge[r * width + c];
    }
  }
}

constexpr int strip_bytes = 96;  // of a row, the most that any of these takes

template <class T, bool subtracts>
void multiply_anywhere(T* sums, const T* a, const T* b, const DenseShape& shape, T* strip) {
  multiply_by_tiles<T, 16, 4, 2, subtracts>(sums, a, b, shape, strip);
}
#ifdef __x86_64__
template <class T, bool subtracts>
__attribute__((target("avx2,fma"))) void multiply_by_avx2(T* sums, const T* a, const T* b,
                                                          const DenseShape& shape, T* strip) {
  multiply_by_tiles<T, 32, 4, 3, subtracts>(sums, a, b, shape, strip);
}
#endif

template <bool subtracts, class T>
void multiply_here(T* sums, const T* a, const T* b, const DenseShape& shape) {
  std::vector<T> strip(static_cast<std::size_t>(shape.k) * strip_bytes / sizeof(T));
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return multiply_by_avx2<T, subtracts>(sums, a, b, shape, strip.data());
#endif
  multiply_anywhere<T, subtracts>(sums, a, b, shape, strip.data());
}

template <bool subtracts, class T>
void multiply(T* sums, const T* a, const T* b, const DenseShape& shape) {
  if (multiply_by_blas(sums, a, b, shape, subtracts ? T(-1) : T(1))) return;
  if (shape.a_stride == shape.k) return multiply_here<subtracts>(sums, a, b, shape);
  // Rows far apart would share few places of the caches, through which they go for each strip.
  std::vector<T> dense(static_cast<std::size_t>(shape.m * shape.k));
  for (std::ptrdiff_t i = 0; i < shape.m; ++i)
    std::copy_n(a + i * shape.a_stride, shape.k, dense.data() + i * shape.k);
  multiply_here<subtracts>(sums, dense.data(), b,
                           {shape.m, shape.n, shape.k, shape.stride, shape.k, shape.b_stride});
}

}  // namespace

void multiply_dense(double* sums, const double* a, const double* b, std::ptrdiff_t m,
                    std::ptrdiff_t n, std::ptrdiff_t k, std::ptrdiff_t stride) {
  multiply<false>(sums, a, b, {m, n, k, stride, k, n});
}
void multiply_dense(float* sums, const float* a, const float* b, std::ptrdiff_t m, std::ptrdiff_t n,
                    std::ptrdiff_t k, std::ptrdiff_t stride) {
  multiply<false>(sums, a, b, {m, n, k, stride, k, n});
}
void subtract_dense(double* sums, const double* a, const double* b, const DenseShape& shape) {
  multiply<true>(sums, a, b, shape);
}
void subtract_dense(float* sums, const float* a, const float* b, const DenseShape& shape) {
  multiply<true>(sums, a, b, shape);
}

}  // namespace armature::detail
