#pragma once

#include <cstdint>
#include <string_view>

#include "space/mapping.hpp"

namespace armature::fibers {

/// The weight of a rank that has computed for so long since the job began, where ranks are shared
/// out anew. A millisecond is added for being there: ranks that have not been measured, or compute
/// next to nothing, weigh the same.
inline double load_of(std::uint64_t busy_ns) { return static_cast<double>(busy_ns) + 1e6; }

/// The control block's knowledge of a rank that is not of its process. Records lie in the part of
/// this name, or in several whose names begin so, in the order of ranks.
struct RankRecord {
  static constexpr const char* part = "control";
  static bool is_part(std::string_view name) { return name.starts_with(part); }

  std::uint64_t heap_begin = 0, heap_extent = 0;  // of its SegmentView
  std::uint64_t busy_ns = 0, moves = 0;
  std::uint32_t life = 0;
  // The rank's wait record: others may look at it before the rank runs again.
  std::uint32_t awaiting = 0;
  std::int32_t peer = -1;
  std::uint32_t team = 0;
  std::uint64_t object = 0, detail = 0;
  std::uint32_t mailboxes = 0, channels = 0;  // that have been opened to it: see NewConnections

  static RankRecord of(const space::Mapping& mapping, int rank);
  void give(const space::Control& control, int rank) const;
};
static_assert(sizeof(RankRecord) == 72);

}  // namespace armature::fibers
