#pragma once

#include <cstddef>

#include "space/rank_heap.hpp"

namespace armature::space {

/// What a thread allocates from that works for a virtual rank: in the rank's segment, so the memory
/// goes where the rank goes when the thread has ended. Used by one thread at a time, beside the
/// rank and others; goes to the next one then. A block goes back to the heap that it comes from, by
/// whoever frees it, so what one thread makes and another one frees is used again.
class ThreadHeap : public RankHeap {
 public:
  /// By any thread of the rank's process, of one that is shared. nullptr when there is no room.
  static ThreadHeap* borrow(RankHeap& rank);
  void give_back();

  [[nodiscard]] RankHeap& rank() const { return *source_; }

  [[nodiscard]] void* allocate(std::size_t bytes) { return own(RankHeap::allocate(bytes)); }
  [[nodiscard]] void* allocate_zeros(std::size_t bytes);
  [[nodiscard]] void* allocate_aligned(std::size_t alignment, std::size_t bytes) {
    return own(RankHeap::allocate_aligned(alignment, bytes));
  }
  /// By its thread, what the rank or any of its threads has allocated.
  void free(void* memory);

 private:
  ThreadHeap(RankHeap& rank, Range range);
  void* own(void* memory);

  ThreadHeap* next_idle_ = nullptr;
};

}  // namespace armature::space
