#include "rma/subarray.hpp"

#include <cstring>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::rma {

using base::fail;

Subarray Subarray::from(const Strided& shape, const char* call) {
  if (shape.counts.empty())
    fail(Errc::bad_argument,
         fmt::format("{}: counts is empty: it must hold the bytes of a row", call));
  const std::size_t levels = shape.counts.size() - 1;
  if (levels > Strided::levels_max)
    fail(Errc::bad_argument, fmt::format("{}: {} stride levels: at most {} are possible", call,
                                         levels, Strided::levels_max));
  if (shape.to_strides.size() != levels || shape.from_strides.size() != levels)
    fail(Errc::bad_argument,
         fmt::format("{}: {} counts need {} strides on each side, not {} and {}", call, levels + 1,
                     levels, shape.to_strides.size(), shape.from_strides.size()));
  Subarray subarray;
  subarray.row_bytes = shape.counts[0];
  for (std::size_t i = 0; i < levels; ++i) {
    const std::size_t count = shape.counts[i + 1];
    const std::ptrdiff_t to = shape.to_strides[i], from = shape.from_strides[i];
    if (count == 0) subarray.row_bytes = 0;
    if (count <= 1) continue;
    // Rows that follow each other on both sides are one row, unless that is too long: whoever looks
    // how far they reach says so.
    std::size_t row_bytes = 0;
    if (subarray.levels == 0 && to == from && static_cast<std::size_t>(to) == subarray.row_bytes &&
        !__builtin_mul_overflow(subarray.row_bytes, count, &row_bytes)) {
      subarray.row_bytes = row_bytes;
      continue;
    }
    subarray.counts[subarray.levels] = count;
    subarray.to_strides[subarray.levels] = to;
    subarray.from_strides[subarray.levels] = from;
    ++subarray.levels;
  }
  return subarray;
}

Subarray Subarray::outer() const {
  Subarray above;
  above.levels = levels > 0 ? levels - 1 : 0;
  for (std::size_t i = 0; i < above.levels; ++i) {
    above.counts[i] = counts[i + 1];
    above.to_strides[i] = to_strides[i + 1];
    above.from_strides[i] = from_strides[i + 1];
  }
  return above;
}

std::size_t bytes_of(const Subarray& subarray) {
  std::size_t bytes = subarray.row_bytes;
  for (std::size_t level = 0; level < subarray.levels; ++level) bytes *= subarray.counts[level];
  return bytes;
}

Reach reach(const Subarray& subarray,
            const std::array<std::ptrdiff_t, Strided::levels_max>& strides, const char* call) {
  std::ptrdiff_t below = 0, above = 0;
  bool overflow = __builtin_add_overflow(subarray.row_bytes, 0, &above);
  for (std::size_t i = 0; i < subarray.levels; ++i) {
    std::ptrdiff_t span = 0;
    overflow |= __builtin_mul_overflow(subarray.counts[i] - 1, strides[i], &span);
    std::ptrdiff_t& side = span < 0 ? below : above;
    overflow |= __builtin_add_overflow(side, span, &side);
  }
  std::size_t bytes = 0;
  overflow |= __builtin_sub_overflow(above, below, &bytes);
  if (overflow) fail(Errc::bad_argument, fmt::format("{}: counts and strides overflow", call));
  return {below, bytes};
}

}  // namespace armature::rma
