#pragma once

#include <array>
#include <cstddef>

#include "armature/rank.hpp"
#include "armature/strided.hpp"

namespace armature::rma {

/// A strided shape whose numbers were checked: no empty level, no overflow, rows as long as they
/// can be.
struct Section {
  std::size_t row_bytes = 0;
  std::size_t levels = 0;
  // Of that many levels. The others hold nothing: to clear them would take longer than a short
  // operation between nodes takes otherwise.
  std::array<std::size_t, Strided::levels_max> counts;
  std::array<std::ptrdiff_t, Strided::levels_max> to_strides;
  std::array<std::ptrdiff_t, Strided::levels_max> from_strides;

  Section() {}  // not `= default`, which would clear them in Section{}

  /// Throws Error(bad_argument) naming what is wrong with the shape.
  static Section from(const Strided& shape, const char* call);

  [[nodiscard]] bool empty() const { return row_bytes == 0; }
  /// The levels above the innermost, which is a loop over rows.
  [[nodiscard]] Section outer() const;
};

/// The bytes that it moves.
[[nodiscard]] std::size_t bytes_of(const Section& section);

/// The bytes that a section touches around its first one: [first + below, first + below + bytes).
struct Reach {
  std::ptrdiff_t below = 0;
  std::size_t bytes = 0;
};
/// Throws Error(bad_argument) when the section is larger than any address space.
Reach reach(const Section& section, const std::array<std::ptrdiff_t, Strided::levels_max>& strides,
            const char* call);

/// Copies rows of a section; both sides mapped.
void copy_section(void* to, const void* from, const Section& section);
/// Rows of one level, the commonest case.
void copy_rows(void* to, std::ptrdiff_t to_stride, const void* from, std::ptrdiff_t from_stride,
               std::size_t rows, std::size_t row_bytes);

/// Calls row(to, from) for each row of the section, in order of addresses' levels.
template <class Row>
void for_each_row(std::byte* to, const std::byte* from, const Section& section, Row&& row) {
  std::array<std::size_t, Strided::levels_max> index{};
  for (;;) {
    row(to, from);
    std::size_t level = 0;
    for (; level < section.levels; ++level) {
      to += section.to_strides[level];
      from += section.from_strides[level];
      if (++index[level] < section.counts[level]) break;
      const auto n = static_cast<std::ptrdiff_t>(section.counts[level]);
      to -= n * section.to_strides[level];
      from -= n * section.from_strides[level];
      index[level] = 0;
    }
    if (level == section.levels) return;
  }
}

}  // namespace armature::rma
