#include <cstdint>

#include "armature/locality.hpp"
#include "armature/virtual.hpp"
#include "space/virtual_segment.hpp"
#include "wait/rank_context.hpp"

namespace armature {

bool is_private(const void* address) {
  const space::AddressSpace& space = wait::this_rank("is_private").space;
  const Rank owner = owner_of(address);
  if (owner == Rank::none()) return true;
  if (owner != space.me() || space.header().ranks_are_virtual == 0) return false;
  const space::ControlHeader& job = space.header();
  const space::VirtualSegment segment(job);
  const std::uint64_t offset =
      (reinterpret_cast<std::uintptr_t>(address) - job.layout.segment_base) %
      job.layout.segment_bytes;
  const bool is_global = offset >= segment.heap() && offset < segment.heap_end();
  return !is_global && offset >= segment.stack_low(static_cast<std::uint64_t>(int{owner}));
}

}  // namespace armature
