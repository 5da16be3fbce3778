// Before an allocation fails for want of memory, all ranks of the node give back what they have
// freed and keep, whoever asks: the pages of all are mapped in each process. And pages of lazy
// memory are counted: those that are there are charged by the kernel, and were promised once more.
#include "space/heap.hpp"
#include "space/mapping.hpp"
#include "space/pages.hpp"

namespace armature::space {

void Mapping::empty(const KeptBlocks::Block& block, int rank) const {
  Heap::let_pages_go(block.address, block.bytes);
  if (is_lazy() && !Heap::keeps_pages())
    reservations().end_lazy(Heap::own_bytes(block.address, block.bytes), rank);
}

void Mapping::empty_kept(int rank) const {
  if (extent(rank) == 0) return;  // nor is there a page of its head that says so
  kept_blocks(rank).empty_all([&](const KeptBlocks::Block& block) { empty(block, rank); });
}

/// How much of a rank's lazy memory is there.
void Mapping::count_lazy(int rank) const {
  const Reservations::Count count = reservations().begin_count(rank);
  if (count.bytes == 0) return;
  std::uint64_t there = 0;
  for (const Allocation& allocation : allocations(rank).large_local(page_wise_min))
    there +=
        Heap::own_bytes_there(reinterpret_cast<std::byte*>(allocation.begin), allocation.bytes);
  reservations().end_count(count, there, rank);
}

void Mapping::relieve() const {
  for (int rank = 0; rank < ranks_; ++rank) {
    if (!is_here(rank)) continue;
    empty_kept(rank);
    if (is_lazy()) count_lazy(rank);
  }
}

topology::MemoryRoom Mapping::room_for(std::uint64_t wanted) const {
  topology::MemoryRoom room = reservations().room();
  if (wanted <= room.bytes) return room;
  relieve();
  return reservations().room();
}

}  // namespace armature::space
