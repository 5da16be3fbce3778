#pragma once

#include <array>
#include <cstddef>

#include "armature/rank.hpp"
#include "armature/strided.hpp"

namespace armature::rma {

/// A strided shape whose numbers were checked: no empty level, no overflow, rows as long as they
/// can be.
struct Subarray {
  std::size_t row_bytes = 0;
  std::size_t levels = 0;
  // The first `levels` entries of each array are used. The others hold nothing: to clear them would
  // take longer than a short operation between nodes takes otherwise.
  std::array<std::size_t, Strided::levels_max> counts;
  std::array<std::ptrdiff_t, Strided::levels_max> to_strides;
  std::array<std::ptrdiff_t, Strided::levels_max> from_strides;

  Subarray() {}  // not `= default`, which would clear them in Subarray{}

  /// Throws Error(bad_argument) naming what is wrong with the shape.
  static Subarray from(const Strided& shape, const char* call);

  [[nodiscard]] bool empty() const { return row_bytes == 0; }
  /// The levels above the innermost, which is a loop over rows.
  [[nodiscard]] Subarray outer() const;
};

/// The bytes that it moves.
[[nodiscard]] std::size_t bytes_of(const Subarray& subarray);

/// The bytes that a subarray touches around its first one: [first + below, first + below + bytes).
struct Reach {
  std::ptrdiff_t below = 0;
  std::size_t bytes = 0;
};
/// Throws Error(bad_argument) when the subarray is larger than any address space.
Reach reach(const Subarray& subarray,
            const std::array<std::ptrdiff_t, Strided::levels_max>& strides, const char* call);

/// Copies rows of a subarray; both sides mapped.
void copy_subarray(void* to, const void* from, const Subarray& subarray);
/// Rows of one level, the commonest case.
void copy_rows(void* to, std::ptrdiff_t to_stride, const void* from, std::ptrdiff_t from_stride,
               std::size_t rows, std::size_t row_bytes);

/// Calls row(to, from) for each row of the subarray, in order of addresses' levels.
template <class Row>
void for_each_row(std::byte* to, const std::byte* from, const Subarray& subarray, Row&& row) {
  std::array<std::size_t, Strided::levels_max> index{};
  for (;;) {
    row(to, from);
    std::size_t level = 0;
    for (; level < subarray.levels; ++level) {
      to += subarray.to_strides[level];
      from += subarray.from_strides[level];
      if (++index[level] < subarray.counts[level]) break;
      const auto n = static_cast<std::ptrdiff_t>(subarray.counts[level]);
      to -= n * subarray.to_strides[level];
      from -= n * subarray.from_strides[level];
      index[level] = 0;
    }
    if (level == subarray.levels) return;
  }
}

}  // namespace armature::rma
