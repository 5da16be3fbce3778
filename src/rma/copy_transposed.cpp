#include "rma/copy_transposed.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "rma/copy_large.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// Transposes go by tiles: of each line of the cache that one touches, it takes all elements at
// once. Row by row, each element would be a line of its own, far from the one before, which is gone
// from the cache when its next element is wanted. Tiles follow each other within a block of few
// pages.

namespace armature::rma {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t block_extent = 32;  // elements, both ways: 64 pages at most
constexpr std::size_t extent_min = 8;     // of a transpose that gains by tiles

typedef double Pair __attribute__((vector_size(16)));

/// A matrix of elements that is copied to its transpose.
struct Matrix {
  std::byte* to;
  const std::byte* from;
  std::ptrdiff_t to_stride;    // from a row there to the next; its elements follow each other
  std::ptrdiff_t from_stride;  // from a row here to the next
  std::size_t to_rows;
  std::size_t from_rows;

  [[nodiscard]] std::byte* at_to(std::size_t row, std::size_t column, std::size_t bytes) const {
    return to + static_cast<std::ptrdiff_t>(row) * to_stride + column * bytes;
  }
  [[nodiscard]] const std::byte* at_from(std::size_t row, std::size_t column,
                                         std::size_t bytes) const {
    return from + static_cast<std::ptrdiff_t>(row) * from_stride + column * bytes;
  }
};

template <std::size_t bytes>
[[gnu::always_inline]] inline void copy_part(const Matrix& matrix, std::size_t to_row,
                                             std::size_t to_end, std::size_t from_row,
                                             std::size_t from_end) {
  for (std::size_t j = to_row; j < to_end; ++j)
    for (std::size_t i = from_row; i < from_end; ++i)
      std::memcpy(matrix.at_to(j, i, bytes), matrix.at_from(i, j, bytes), bytes);
}

/// Stores two elements of 8 bytes, in the cache or past it.
template <bool past_cache>
[[gnu::always_inline]] inline void store_pair(std::byte* to, const Pair& pair) {
#ifdef __SSE2__
  if constexpr (past_cache) return _mm_stream_pd(reinterpret_cast<double*>(to), pair);
#endif
  std::memcpy(to, &pair, sizeof pair);
}

/// Copies 2 x 2 elements of 8 bytes, in registers.
template <bool past_cache>
[[gnu::always_inline]] inline void transpose_2(std::byte* to, std::byte* to_next,
                                               const std::byte* from, const std::byte* from_next) {
  Pair row, next;
  std::memcpy(&row, from, sizeof row);
  std::memcpy(&next, from_next, sizeof next);
  store_pair<past_cache>(to, Pair{row[0], next[0]});
  store_pair<past_cache>(to_next, Pair{row[1], next[1]});
}

/// Copies a whole tile: a line of the cache in each direction.
template <std::size_t bytes, bool past_cache>
[[gnu::always_inline]] inline void copy_tile(const Matrix& matrix, std::size_t to_row,
                                             std::size_t from_row) {
  constexpr std::size_t extent = line_bytes / bytes;
  if constexpr (bytes == 8) {
    for (std::size_t j = to_row; j < to_row + extent; j += 2)
      for (std::size_t i = from_row; i < from_row + extent; i += 2)
        transpose_2<past_cache>(matrix.at_to(j, i, bytes), matrix.at_to(j + 1, i, bytes),
                                matrix.at_from(i, j, bytes), matrix.at_from(i + 1, j, bytes));
  } else {
    copy_part<bytes>(matrix, to_row, to_row + extent, from_row, from_row + extent);
  }
}

template <std::size_t bytes, bool past_cache>
[[gnu::always_inline]] inline void copy_block(const Matrix& matrix, std::size_t to_row,
                                              std::size_t from_row) {
  constexpr std::size_t extent = line_bytes / bytes;
  const std::size_t to_end = std::min(to_row + block_extent, matrix.to_rows);
  const std::size_t from_end = std::min(from_row + block_extent, matrix.from_rows);
  const std::size_t to_whole = to_row + (to_end - to_row) / extent * extent;
  const std::size_t from_whole = from_row + (from_end - from_row) / extent * extent;
  for (std::size_t j = to_row; j < to_whole; j += extent)
    for (std::size_t i = from_row; i < from_whole; i += extent)
      copy_tile<bytes, past_cache>(matrix, j, i);
  copy_part<bytes>(matrix, to_row, to_whole, from_whole, from_end);
  copy_part<bytes>(matrix, to_whole, to_end, from_row, from_end);
}

template <std::size_t bytes, bool past_cache = false>
void copy_matrix(const Matrix& matrix) {
  for (std::size_t i = 0; i < matrix.from_rows; i += block_extent)
    for (std::size_t j = 0; j < matrix.to_rows; j += block_extent)
      copy_block<bytes, past_cache>(matrix, j, i);
}

/// Whether lines of the target can be stored whole, and are too many for a cache.
bool is_past_cache(const Matrix& matrix) {
  constexpr bool is_skewed = true;
  return reinterpret_cast<std::uintptr_t>(matrix.to) % line_bytes == 0 &&
         matrix.to_stride % static_cast<std::ptrdiff_t>(line_bytes) == 0 &&
         way_past_cache(matrix.to_rows * matrix.from_rows * 8, is_skewed) != nullptr;
}

/// Stores past the cache: other ranks see it behind what was stored before, and before what is
/// stored later.
void copy_past_cache(const Matrix& matrix) {
#ifdef __SSE2__
  _mm_sfence();
  copy_matrix<8, true>(matrix);
  _mm_sfence();
#else
  copy_matrix<8>(matrix);
#endif
}

void copy_matrix_of(const Matrix& matrix, std::size_t bytes) {
  if (bytes == 4) return copy_matrix<4>(matrix);
  if (bytes == 16) return copy_matrix<16>(matrix);
  if (is_past_cache(matrix)) return copy_past_cache(matrix);
  copy_matrix<8>(matrix);
}

/// The innermost level along which the elements of one side follow each other.
std::optional<std::size_t> dense_level(
    const Subarray& subarray, const std::array<std::ptrdiff_t, Strided::levels_max>& strides) {
  for (std::size_t level = 0; level < subarray.levels; ++level)
    if (strides[level] == static_cast<std::ptrdiff_t>(subarray.row_bytes)) return level;
  return std::nullopt;
}

}  // namespace

bool copy_transposed(std::byte* to, const std::byte* from, const Subarray& subarray) {
  const std::size_t bytes = subarray.row_bytes;
  if (bytes != 4 && bytes != 8 && bytes != 16) return false;
  const auto along_to = dense_level(subarray, subarray.to_strides);
  const auto along_from = dense_level(subarray, subarray.from_strides);
  if (!along_to || !along_from || *along_to == *along_from ||
      std::min(subarray.counts[*along_to], subarray.counts[*along_from]) < extent_min)
    return false;
  Matrix matrix{.to = to,
                .from = from,
                .to_stride = subarray.to_strides[*along_from],
                .from_stride = subarray.from_strides[*along_to],
                .to_rows = subarray.counts[*along_from],
                .from_rows = subarray.counts[*along_to]};
  Subarray others;
  others.row_bytes = bytes;
  for (std::size_t level = 0; level < subarray.levels; ++level) {
    if (level == *along_to || level == *along_from) continue;
    others.counts[others.levels] = subarray.counts[level];
    others.to_strides[others.levels] = subarray.to_strides[level];
    others.from_strides[others.levels] = subarray.from_strides[level];
    ++others.levels;
  }
  for_each_row(to, from, others, [&](std::byte* t, const std::byte* f) {
    matrix.to = t;
    matrix.from = f;
    copy_matrix_of(matrix, bytes);
  });
  return true;
}

}  // namespace armature::rma
