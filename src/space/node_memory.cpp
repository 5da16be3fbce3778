// Before an allocation fails for want of memory, all ranks of the node give back what they have
// freed and keep, whoever asks: the pages of all are mapped in each process. And pages of lazy
// memory are counted: those that are there are charged by the kernel, and were promised once more.
#include "space/node_memory.hpp"

#include <algorithm>

#include "space/pages.hpp"
#include "space/segment_pages.hpp"

namespace armature::space {

std::uint64_t NodeMemory::kept_bytes_max() const {
  constexpr std::uint64_t most = std::uint64_t{256} << 20;
  // All ranks of a node keep at most one part of so many of its memory.
  constexpr std::uint64_t parts_of_memory = 8;
  const std::uint64_t ranks = std::max<std::uint64_t>(mapping_.header().here.ranks, 1);
  return std::min(most, topology::memory_room().total / parts_of_memory / ranks);
}

KeptBlocks& NodeMemory::kept_blocks(int rank) const {
  static_assert(sizeof(KeptBlocks) <= SegmentHead::kept_blocks_room);
  return *reinterpret_cast<KeptBlocks*>(
      mapping_.segment(rank) +
      SegmentHead::kept_blocks_offset(static_cast<std::uint32_t>(mapping_.ranks())));
}

void NodeMemory::empty(const KeptBlocks::Block& block, int rank) const {
  let_pages_go(block.address, block.bytes);
  if (is_lazy() && !keeps_pages())
    reservations().end_lazy(own_page_bytes(block.address, block.bytes), rank);
}

void NodeMemory::empty_kept(int rank) const {
  if (mapping_.extent(rank) == 0) return;  // nor is there a page of its head that says so
  kept_blocks(rank).empty_all([&](const KeptBlocks::Block& block) { empty(block, rank); });
}

/// How much of a rank's lazy memory is there.
void NodeMemory::count_lazy(int rank) const {
  const Reservations::Count count = reservations().begin_count(rank);
  if (count.bytes == 0) return;
  std::uint64_t there = 0;
  for (const Allocation& allocation : mapping_.allocations(rank).large_local(page_wise_min))
    there += own_page_bytes_there(reinterpret_cast<std::byte*>(allocation.begin), allocation.bytes);
  reservations().end_count(count, there, rank);
}

void NodeMemory::relieve() const {
  for (int rank = 0; rank < mapping_.ranks(); ++rank) {
    if (!mapping_.is_here(rank)) continue;
    empty_kept(rank);
    if (is_lazy()) count_lazy(rank);
  }
}

topology::MemoryRoom NodeMemory::room_for(std::uint64_t wanted) const {
  topology::MemoryRoom room = reservations().room();
  if (wanted <= room.bytes) return room;
  relieve();
  return reservations().room();
}

}  // namespace armature::space
