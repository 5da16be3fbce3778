#pragma once

#include <cstddef>

#include "space/rank_heap.hpp"

namespace armature::space {

/// The heap of a thread that works for a virtual rank. It lies in the rank's segment, so the memory
/// goes where the rank goes when the thread has ended. One thread uses it at a time, beside the
/// rank and other threads; then it goes to the next thread. A block goes back to the heap that it
/// comes from, whoever frees it. So memory that one thread allocates and another one frees is used
/// again.
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
