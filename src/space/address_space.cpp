#include "space/address_space.hpp"

#include <algorithm>
#include <optional>

#include "base/fail.hpp"

namespace armature::space {

AddressSpace::AddressSpace(const Mapping& mapping, Rank me, SegmentFile file)
    : Mapping(mapping),
      heap_(*this, me, file),
      new_(*this, heap_),
      local_(heap_, new_),
      symmetric_(*this, heap_, new_) {}

void* AddressSpace::allocate(std::size_t bytes, std::size_t alignment, Allocation::Kind kind,
                             Failure& failure, By by) {
  if (by == By::rank) free_unused_blocks();
  const std::size_t wanted = std::max<std::size_t>(bytes, 1);
  void* const address =
      new_.make(wanted, std::max<std::size_t>(alignment, 64), NewMemory::Pages::now, failure, by);
  if (address == nullptr || heap_.record(address, wanted, kind, failure, by) != nullptr)
    return address;
  heap_.give_back(address, wanted, by);
  return nullptr;
}

void* AddressSpace::allocate_sparse(std::size_t bytes, Failure& failure) {
  free_unused_blocks();
  void* const address = heap_.take(bytes, 64, failure, By::rank);
  if (address == nullptr) return nullptr;
  clear_pages(address, bytes);
  if (heap_.record(address, bytes, Allocation::Kind::internal, failure, By::rank) != nullptr)
    return address;
  heap_.give_back(address, bytes, By::rank);
  return nullptr;
}

void* AddressSpace::allocate_ring(std::size_t bytes, Failure& failure) {
  if (header().ranks_are_virtual != 0) return allocate_sparse(bytes, failure);
  return allocate(bytes, 64, Allocation::Kind::internal, failure);
}

bool AddressSpace::free(void* address, Allocation::Kind kind, By by) {
  if (kind == Allocation::Kind::local) return local_.free(address);
  const std::optional<std::size_t> bytes = heap_.forget(address, kind, by);
  if (!bytes) return false;
  if (*bytes > 0) heap_.give_back(address, *bytes, by);
  return true;
}

void AddressSpace::free_when_unused(TeamBlock& block) {
  {
    const HeapLock one_at_a_time = heap_.lock();
    retired_.push_back(&block);
  }
  free_unused_blocks();
}

/// The last member that lets go of a block may be another rank than the one whose memory it is, and
/// tells nobody. So the owner looks before it asks for memory, and the block counts as free.
void AddressSpace::free_unused_blocks() {
  std::vector<TeamBlock*> unused;
  {
    const HeapLock one_at_a_time = heap_.lock();
    if (retired_.empty()) return;
    std::erase_if(retired_, [&](TeamBlock* block) {
      // Acquire: the last user's reads of the block come before it is cleared and used again.
      if (block->users.load(std::memory_order_acquire) != 0) return false;
      unused.push_back(block);
      return true;
    });
  }
  for (TeamBlock* const block : unused) ARMATURE_ASSERT(free(block, Allocation::Kind::internal));
}

}  // namespace armature::space
