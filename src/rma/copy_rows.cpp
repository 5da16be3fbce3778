// The loops under every strided transfer. Short rows are where a library loses against a loop
// written by hand: a call per row costs more than the row. So the row lengths that occur most are
// loops of their own, with whole-register moves; long rows are copied as contiguous transfers are.
#include <cstdint>
#include <cstring>

#include "armature/detail/transfer.hpp"
#include "copies/kind.hpp"
#include "rma/clones.hpp"
#include "rma/copy_large.hpp"
#include "rma/copy_transposed.hpp"
#include "rma/subarray.hpp"

namespace armature::rma {
namespace {

template <std::size_t bytes>
[[gnu::always_inline]] inline void fixed_rows(std::byte* to, std::ptrdiff_t to_stride,
                                              const std::byte* from, std::ptrdiff_t from_stride,
                                              std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    std::memcpy(to, from, bytes);
    to += to_stride;
    from += from_stride;
  }
}

/// Rows of 8 bytes to a dense target, two to a store: the compiler's own attempt at this is slower
/// than no attempt.
[[gnu::always_inline]] inline void pack_8(std::byte* to, const std::byte* from,
                                          std::ptrdiff_t from_stride, std::size_t rows) {
  typedef double Pair __attribute__((vector_size(16)));
  const auto load = [](const std::byte* at) {
    double value;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  std::size_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    const std::byte* const later = from + 2 * from_stride;
    const Pair first = {load(from), load(from + from_stride)};
    const Pair second = {load(later), load(later + from_stride)};
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + sizeof first, &second, sizeof second);
    to += 2 * sizeof first;
    from = later + 2 * from_stride;
  }
  fixed_rows<8>(to, 8, from, from_stride, rows - i);
}

/// Rows of 32 to 192 bytes: blocks of 32, the last one overlapping the one before.
[[gnu::always_inline]] inline void blocked_rows(std::byte* to, std::ptrdiff_t to_stride,
                                                const std::byte* from, std::ptrdiff_t from_stride,
                                                std::size_t rows, std::size_t bytes) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t at = 0; at + 32 < bytes; at += 32) std::memcpy(to + at, from + at, 32);
    std::memcpy(to + bytes - 32, from + bytes - 32, 32);
    to += to_stride;
    from += from_stride;
  }
}

/// Other rows. Not inlined: with all the loops above around it, its counters would live in memory.
template <auto copy_row>
[[gnu::noinline]] void rows_by(std::byte* to, std::ptrdiff_t to_stride, const std::byte* from,
                               std::ptrdiff_t from_stride, std::size_t rows, std::size_t bytes) {
  for (std::size_t i = 0; i < rows; ++i) {
    copy_row(to, from, bytes);
    to += to_stride;
    from += from_stride;
  }
}

void libc_copy(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

/// Long rows, of which no cache holds all: each in the way of one copy of as many bytes. Row by row
/// they would be stored in the cache, which reads what it is to hold, and is of no use to anybody.
[[gnu::noinline]] void long_rows(std::byte* to, std::ptrdiff_t to_stride, const std::byte* from,
                                 std::ptrdiff_t from_stride, std::size_t rows, std::size_t bytes,
                                 copies::Copy copy_row) {
  for (std::size_t i = 0; i < rows; ++i) {
    copy_row(to, from, bytes);
    to += to_stride;
    from += from_stride;
  }
}

/// Whether rows that so lie apart change how they lie in their cache lines.
bool skews(std::ptrdiff_t to_stride, std::ptrdiff_t from_stride) {
  return (to_stride - from_stride) % static_cast<std::ptrdiff_t>(copies::line_bytes) != 0;
}

/// Rows that are too long for libc. Not inlined: a call that is not the last would make short rows
/// save registers, too.
[[gnu::noinline]] void large_rows(std::byte* to, std::ptrdiff_t to_stride, const std::byte* from,
                                  std::ptrdiff_t from_stride, std::size_t rows, std::size_t bytes) {
  const bool skewed = copies::are_skewed(to, from) || skews(to_stride, from_stride);
  if (const copies::Copy past_cache = way_past_cache(rows * bytes, skewed))
    long_rows(to, to_stride, from, from_stride, rows, bytes, past_cache);
  else
    rows_by<detail::copy_large>(to, to_stride, from, from_stride, rows, bytes);
}

bool are_skewed(const std::byte* to, const std::byte* from, const Subarray& subarray) {
  bool skewed = copies::are_skewed(to, from);
  for (std::size_t level = 0; level < subarray.levels; ++level)
    skewed = skewed || skews(subarray.to_strides[level], subarray.from_strides[level]);
  return skewed;
}

}  // namespace

ARMATURE_CLONES
void copy_rows(void* to_start, std::ptrdiff_t to_stride, const void* from_start,
               std::ptrdiff_t from_stride, std::size_t rows, std::size_t bytes) {
  auto* to = static_cast<std::byte*>(to_start);
  const auto* from = static_cast<const std::byte*>(from_start);
  const auto dense = static_cast<std::ptrdiff_t>(bytes);
  if (to_stride == dense && from_stride == dense) return detail::copy(to, from, rows * bytes);
  switch (bytes) {
    case 4:
      return fixed_rows<4>(to, to_stride, from, from_stride, rows);
    case 8:
      if (to_stride == 8) return pack_8(to, from, from_stride, rows);
      return fixed_rows<8>(to, to_stride, from, from_stride, rows);
    case 16:
      return fixed_rows<16>(to, to_stride, from, from_stride, rows);
    case 32:
      return fixed_rows<32>(to, to_stride, from, from_stride, rows);
    case 64:
      return fixed_rows<64>(to, to_stride, from, from_stride, rows);
    case 128:
      return fixed_rows<128>(to, to_stride, from, from_stride, rows);
    default:
      break;
  }
  if (bytes > 32 && bytes <= 192)
    return blocked_rows(to, to_stride, from, from_stride, rows, bytes);
  if (bytes <= detail::copy_short_max) {
    rows_by<detail::copy_short>(to, to_stride, from, from_stride, rows, bytes);
  } else if (bytes <= detail::copy_libc_max) {
    rows_by<libc_copy>(to, to_stride, from, from_stride, rows, bytes);
  } else {
    large_rows(to, to_stride, from, from_stride, rows, bytes);
  }
}

namespace {

/// Copies pairs of short rows, such as the ghosts at both ends of each line of an array. A call for
/// each pair would cost more than the pair.
template <std::size_t bytes>
void copy_pairs(std::byte* to, const std::byte* from, const Subarray& subarray) {
  // Copies of the numbers: bytes that are written might be theirs.
  const std::ptrdiff_t to_other = subarray.to_strides[0], from_other = subarray.from_strides[0];
  const std::ptrdiff_t to_next = subarray.to_strides[1], from_next = subarray.from_strides[1];
  const std::size_t pairs = subarray.counts[1];
  for_each_row(to, from, subarray.outer().outer(), [=](std::byte* t, const std::byte* f) {
    for (std::size_t i = 0; i < pairs; ++i) {
      std::memcpy(t, f, bytes);
      std::memcpy(t + to_other, f + from_other, bytes);
      t += to_next;
      f += from_next;
    }
  });
}

}  // namespace

void copy_subarray(void* to_start, const void* from_start, const Subarray& subarray) {
  auto* to = static_cast<std::byte*>(to_start);
  const auto* from = static_cast<const std::byte*>(from_start);
  if (subarray.levels == 0) {
    detail::copy(to, from, subarray.row_bytes);
    return;
  }
  if (subarray.levels > 1 && subarray.counts[0] == 2) {
    if (subarray.row_bytes == 4) return copy_pairs<4>(to, from, subarray);
    if (subarray.row_bytes == 8) return copy_pairs<8>(to, from, subarray);
    if (subarray.row_bytes == 16) return copy_pairs<16>(to, from, subarray);
  }
  if (subarray.levels > 1 && copy_transposed(to, from, subarray)) return;
  if (subarray.levels > 1 && subarray.row_bytes > detail::copy_libc_max)
    if (const copies::Copy past_cache =
            way_past_cache(bytes_of(subarray), are_skewed(to, from, subarray)))
      return for_each_row(to, from, subarray,
                          [=, bytes = subarray.row_bytes](std::byte* t, const std::byte* f) {
                            past_cache(t, f, bytes);
                          });
  for_each_row(to, from, subarray.outer(), [&](std::byte* t, const std::byte* f) {
    copy_rows(t, subarray.to_strides[0], f, subarray.from_strides[0], subarray.counts[0],
              subarray.row_bytes);
  });
}

}  // namespace armature::rma
