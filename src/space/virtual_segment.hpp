#pragma once

#include <algorithm>
#include <cstdint>

#include "space/control.hpp"
#include "space/layout.hpp"
#include "space/segment_head.hpp"
#include "space/team_block.hpp"
#include "space/world_place.hpp"

namespace armature::space {

/// The layout of a virtual rank's segment, as distances from the segment's start:
///
///     head .. | guard | stack .. record | rank's heap | heap for others ... | more of the rank's
///     heap
///
/// Every rank writes at once to the upper end of its stack and to the first pages of both heaps.
/// These lie within 2 MiB, so that one page of page tables covers all of them. With many ranks,
/// more page tables would take as much memory as all the rest.
struct VirtualSegment {
  explicit VirtualSegment(const ControlHeader& job)
      : segment_bytes(job.layout.segment_bytes),
        stack_bytes(job.layout.stack_bytes),
        guard_bytes(guards_are_areas(job.ranks) ? std::min(stack_bytes, segment_bytes / 16)
                                                : stack_guard_bytes),
        middle((SegmentHead::heap_start(job.ranks, 0) + guard_bytes + stack_bytes +
                stack_shift_max + table_reach - 1) /
               table_reach * table_reach) {}

  /// Whether there is room for two further areas for each rank: a process may have 65,530
  /// (vm.max_map_count), less what a program has.
  [[nodiscard]] static bool guards_are_areas(std::uint64_t ranks) { return ranks <= 30'000; }

  static constexpr std::uint64_t table_reach = std::uint64_t{2} << 20;

  /// The end of the record above the stack, where the rank's heap begins. A rank that does little
  /// uses the parts next to this place, which lie in few pages.
  [[nodiscard]] std::uint64_t stack_top(std::uint64_t rank) const {
    return rank_heaps() - stack_shift(rank);
  }
  /// The lower end of the stack, in whole pages: the guard ends there.
  [[nodiscard]] std::uint64_t stack_low(std::uint64_t rank) const {
    return (stack_top(rank) - stack_bytes) / 4096 * 4096;
  }
  /// The stack's upper end for ranks whose stacks are not shifted.
  [[nodiscard]] std::uint64_t rank_heaps() const { return middle + table_reach / 4; }
  /// The start of the heap for others, which transfers reach.
  [[nodiscard]] std::uint64_t heap() const { return middle + table_reach / 2; }
  [[nodiscard]] std::uint64_t heap_end() const { return segment_bytes / 2; }
  /// The rest of the rank's heap ends with the segment.
  [[nodiscard]] std::uint64_t more_of_rank_heap() const { return segment_bytes / 2; }

  const std::uint64_t segment_bytes, stack_bytes;
  /// Below the stack. A function whose frame is larger than all of it may skip it: so it is as
  /// large as the stack where that costs nothing, which is where it is an area of its own.
  const std::uint64_t guard_bytes;
  const std::uint64_t middle;  // of all: what lies around it is used by every rank
};
static_assert(stack_shift_max < VirtualSegment::table_reach / 4);

/// The offset at which heaps for others begin.
inline std::size_t heap_start(const ControlHeader& header) {
  if (header.ranks_are_virtual != 0) return VirtualSegment(header).heap();
  return SegmentHead::heap_start(header.ranks,
                                 world_lies_behind(header) ? 0 : TeamBlock::bytes(header.ranks));
}

}  // namespace armature::space
