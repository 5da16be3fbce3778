#pragma once

#include "space/address_space.hpp"

// The short way of local memory: it is taken again and freed as fast as by malloc, which needs some
// hundred instructions for both. To be compiled into its callers, without exceptions; all other
// ways are in local_memory.cpp.

namespace armature::space {

inline void* AddressSpace::reuse(std::size_t bytes, std::size_t alignment) {
  const HeapLock one_at_a_time = lock_heap(By::rank);
  if (!one_at_a_time.holds() || list_.count() >= list_entries_of_rank) return nullptr;
  return bytes - 1 < page_wise_min - 1 ? reuse_small(bytes, alignment)  // not 0
                                       : reuse_large(bytes, alignment);
}

/// Under the lock.
inline void* AddressSpace::reuse_small(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t kind = SmallBlocks::kind_of(bytes);
  void* const address = small_.first(kind, alignment);
  if (address == nullptr) return nullptr;
  if (!list_.add_again(reinterpret_cast<std::uint64_t>(address), bytes, Allocation::Kind::local))
    return nullptr;
  small_.take_first(kind);
  extend_to(address, bytes);
  return address;
}

inline bool AddressSpace::keep(void* address) {
  const HeapLock one_at_a_time = lock_heap(By::rank);
  if (!one_at_a_time.holds()) return false;
  const Allocations::Found found =
      list_.find_again(reinterpret_cast<std::uint64_t>(address), Allocation::Kind::local);
  if (found.is_none()) return false;
  if (found.bytes >= page_wise_min) return keep_large(address, found);
  if (!small_.put(SmallBlocks::kind_of(found.bytes), address)) return false;
  list_.remove(found);
  return true;
}

}  // namespace armature::space
