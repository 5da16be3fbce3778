#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rma/operation.hpp"

namespace armature::rma {

/// Rows of equal length that follow each other evenly on both sides: what one record moves.
struct Rows {
  std::byte* to;
  const std::byte* from;
  std::ptrdiff_t to_stride = 0;
  std::ptrdiff_t from_stride = 0;
  std::size_t row_bytes = 0;
  std::size_t count = 1;

  [[nodiscard]] std::byte* row_to(std::size_t i) const {
    return to + static_cast<std::ptrdiff_t>(i) * to_stride;
  }
  [[nodiscard]] const std::byte* row_from(std::size_t i) const {
    return from + static_cast<std::ptrdiff_t>(i) * from_stride;
  }
  [[nodiscard]] std::size_t bytes() const { return count * row_bytes; }
};

/// The lowest address that so many rows touch, the first of which begins there.
inline std::uint64_t lowest_of(std::uint64_t first, std::int64_t stride, std::size_t rows) {
  const std::int64_t reach = static_cast<std::int64_t>(rows - 1) * stride;
  return reach < 0 ? first + static_cast<std::uint64_t>(reach) : first;
}
/// The lowest address on the remote side of an operation's rows.
inline std::uint64_t lowest_of(const Rows& rows, Verb verb) {
  return verb == Verb::get
             ? lowest_of(reinterpret_cast<std::uint64_t>(rows.from), rows.from_stride, rows.count)
             : lowest_of(reinterpret_cast<std::uint64_t>(rows.to), rows.to_stride, rows.count);
}

/// Calls part(rows) for all that an operation moves, in order of addresses' levels.
template <class Part>
void for_each_rows(const Operation& what, Part&& part) {
  if (what.is_list()) {
    for (const Iov& pieces : what.lists)
      for (std::size_t i = 0; i < pieces.to.size() && pieces.bytes != 0; ++i)
        part(Rows{.to = static_cast<std::byte*>(pieces.to[i]),
                  .from = static_cast<const std::byte*>(pieces.from[i]),
                  .row_bytes = pieces.bytes});
    return;
  }
  const Subarray& subarray = what.subarray;
  for_each_row(static_cast<std::byte*>(what.to), static_cast<const std::byte*>(what.from),
               subarray.outer(), [&](std::byte* to, const std::byte* from) {
                 Rows rows{.to = to, .from = from, .row_bytes = subarray.row_bytes};
                 if (subarray.levels > 0) {
                   rows.to_stride = subarray.to_strides[0];
                   rows.from_stride = subarray.from_strides[0];
                   rows.count = subarray.counts[0];
                 }
                 part(rows);
               });
}

/// Calls part(rows) for all of these, so that none is longer than `room` bytes: as many rows as
/// fit, or parts of one.
template <class Part>
void for_each_part(const Rows& all, std::size_t room, Part&& part) {
  if (all.row_bytes <= room) {
    const std::size_t at_once = room / all.row_bytes;
    for (std::size_t i = 0; i < all.count; i += at_once) {
      Rows some = all;
      some.to = all.row_to(i);
      some.from = all.row_from(i);
      some.count = std::min(at_once, all.count - i);
      part(some);
    }
    return;
  }
  for (std::size_t i = 0; i < all.count; ++i)
    for (std::size_t at = 0; at < all.row_bytes; at += room)
      part(Rows{.to = all.row_to(i) + at,
                .from = all.row_from(i) + at,
                .row_bytes = std::min(room, all.row_bytes - at)});
}

}  // namespace armature::rma
