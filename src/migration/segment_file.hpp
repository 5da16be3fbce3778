#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "space/mapping.hpp"
#include "space/segment_head.hpp"

// Places of ranks' segments in the node's memory file, and in those of copies.

namespace armature::migration {

struct Stretch {
  std::uint64_t begin = 0, end = 0;
};

inline std::uint64_t begin_of(const space::Mapping& mapping, int rank) {
  return static_cast<std::uint64_t>(rank) * mapping.segment_bytes();
}

/// The part of a segment behind its head, which each node has its own of.
inline Stretch behind_head(const space::Mapping& mapping, int rank) {
  const std::uint64_t begin = begin_of(mapping, rank);
  return {begin + space::SegmentHead::heap_start(mapping.header().ranks, 0),
          begin + mapping.segment_bytes()};
}

/// f(stretch) for each stretch of pages between these places of the file that were touched.
template <class F>
void for_each_extent(int file, const Stretch& all, F&& f) {
  for (std::uint64_t at = all.begin; at < all.end;) {
    const off_t data = lseek(file, static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 || static_cast<std::uint64_t>(data) >= all.end) return;
    const off_t hole = lseek(file, data, SEEK_HOLE);
    at = hole < 0 ? all.end : std::min(static_cast<std::uint64_t>(hole), all.end);
    f(Stretch{static_cast<std::uint64_t>(data), at});
  }
}

}  // namespace armature::migration
