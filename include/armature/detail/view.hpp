#pragma once

#include <cstddef>
#include <cstdint>

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

// The inlined half of the address check. Every public one-sided call asks one question before it
// touches memory: do these bytes lie in what that rank has allocated, in memory mapped here? The
// answer must cost a nanosecond. So it reads two words of a table that the owner of each segment
// keeps (shared, read-mostly). Compiled code answers for everything else: a bad address, a rank on
// another node, full checking, a call outside run().

namespace armature::space {
struct CopyChoices;
}

namespace armature::detail {

/// The part of a rank's segment that may be accessed directly: [begin, begin + extent). A segment
/// that may not be accessed directly has begin = unreachable, so no address passes.
struct SegmentView {
  static constexpr std::uintptr_t unreachable = std::uintptr_t{1} << 63;
  static constexpr std::size_t extent_min = 4096;  // so that extent - sizeof(T) never wraps

  std::uintptr_t begin = unreachable;
  std::size_t extent = extent_min;
};

struct View {
  const SegmentView* segments = nullptr;
  std::uint32_t ranks = 0;
  space::CopyChoices* copies = nullptr;  // the node's, where this process can do what it chooses
};

extern ARMATURE_API View view;

/// The owner may be growing it; whoever holds a good address has learnt of it after that.
[[gnu::always_inline]] inline std::size_t extent_of(const SegmentView& segment) {
  return __atomic_load_n(&segment.extent, __ATOMIC_RELAXED);
}

/// Serves at most SegmentView::extent_min bytes: one comparison covers both ends.
[[gnu::always_inline]] inline bool reachable_short(Rank rank, const void* address,
                                                   std::size_t bytes) {
  const View& v = view;
  if (static_cast<std::uint32_t>(static_cast<int>(rank)) >= v.ranks) [[unlikely]]
    return false;
  const SegmentView& segment = v.segments[static_cast<int>(rank)];
  return reinterpret_cast<std::uintptr_t>(address) - segment.begin <= extent_of(segment) - bytes;
}

template <std::size_t bytes>
[[gnu::always_inline]] inline bool reachable(Rank rank, const void* address) {
  static_assert(bytes <= SegmentView::extent_min);
  return reachable_short(rank, address, bytes);
}

[[gnu::always_inline]] inline bool reachable(Rank rank, const void* address, std::size_t bytes) {
  const View& v = view;
  if (static_cast<std::uint32_t>(static_cast<int>(rank)) >= v.ranks) [[unlikely]]
    return false;
  const SegmentView& segment = v.segments[static_cast<int>(rank)];
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - segment.begin;
  const std::size_t extent = extent_of(segment);
  return offset <= extent && bytes <= extent - offset;
}

}  // namespace armature::detail
