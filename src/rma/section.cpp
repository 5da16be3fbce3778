#include "rma/section.hpp"

#include <cstring>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::rma {

using base::fail;

Section Section::from(const Strided& shape, const char* call) {
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
  Section section;
  section.row_bytes = shape.counts[0];
  for (std::size_t i = 0; i < levels; ++i) {
    const std::size_t count = shape.counts[i + 1];
    const std::ptrdiff_t to = shape.to_strides[i], from = shape.from_strides[i];
    if (count == 0) section.row_bytes = 0;
    if (count <= 1) continue;
    // Rows that follow each other on both sides are one row, unless that is too long: whoever looks
    // how far they reach says so.
    std::size_t row_bytes = 0;
    if (section.levels == 0 && to == from && static_cast<std::size_t>(to) == section.row_bytes &&
        !__builtin_mul_overflow(section.row_bytes, count, &row_bytes)) {
      section.row_bytes = row_bytes;
      continue;
    }
    section.counts[section.levels] = count;
    section.to_strides[section.levels] = to;
    section.from_strides[section.levels] = from;
    ++section.levels;
  }
  return section;
}

Section Section::outer() const {
  Section above;
  above.levels = levels > 0 ? levels - 1 : 0;
  for (std::size_t i = 0; i < above.levels; ++i) {
    above.counts[i] = counts[i + 1];
    above.to_strides[i] = to_strides[i + 1];
    above.from_strides[i] = from_strides[i + 1];
  }
  return above;
}

std::size_t bytes_of(const Section& section) {
  std::size_t bytes = section.row_bytes;
  for (std::size_t level = 0; level < section.levels; ++level) bytes *= section.counts[level];
  return bytes;
}

Reach reach(const Section& section, const std::array<std::ptrdiff_t, Strided::levels_max>& strides,
            const char* call) {
  std::ptrdiff_t below = 0, above = 0;
  bool overflow = __builtin_add_overflow(section.row_bytes, 0, &above);
  for (std::size_t i = 0; i < section.levels; ++i) {
    std::ptrdiff_t span = 0;
    overflow |= __builtin_mul_overflow(section.counts[i] - 1, strides[i], &span);
    std::ptrdiff_t& side = span < 0 ? below : above;
    overflow |= __builtin_add_overflow(side, span, &side);
  }
  std::size_t bytes = 0;
  overflow |= __builtin_sub_overflow(above, below, &bytes);
  if (overflow) fail(Errc::bad_argument, fmt::format("{}: counts and strides overflow", call));
  return {below, bytes};
}

}  // namespace armature::rma
