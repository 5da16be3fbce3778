#pragma once

#include <cstddef>
#include <optional>

#include "space/new_memory.hpp"
#include "space/segment_heap.hpp"

namespace armature::space {

/// Memory that a rank has for itself in its segment, as malloc gives it: what was freed is kept for
/// the next allocation, so most take no new pages. The pages of a large one are reserved, and come
/// when they are touched. Most calls need no more than SegmentHeap::reuse and keep.
class LocalMemory {
 public:
  /// The contents of new memory: zeros, or whatever was there.
  enum class Contents { zeros, any };

  /// Both must live as long.
  LocalMemory(SegmentHeap& heap, NewMemory& fresh) : heap_(heap), new_(fresh) {}

  /// On failure nullptr, and `failure` says why.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment, Contents contents,
                               SegmentHeap::Failure& failure);
  /// False when nothing of that kind begins there.
  [[nodiscard]] bool free(void* address);

  /// By the rank, when it has nothing to do: what it has not used for a while it does not keep.
  void rest();
  /// The rank leaves the job.
  void end_promises();

 private:
  using Block = KeptMemory::Block;
  [[nodiscard]] void* allocate_small(std::size_t bytes, std::size_t alignment, Contents contents,
                                     SegmentHeap::Failure& failure);
  [[nodiscard]] void* allocate_large(std::size_t bytes, std::size_t alignment, Contents contents,
                                     SegmentHeap::Failure& failure);
  [[nodiscard]] NewMemory::Pages pages_of(std::size_t bytes) const;
  [[nodiscard]] void* take_small(std::size_t kind, std::size_t alignment);
  [[nodiscard]] void* take_zeros(std::size_t bytes, std::size_t alignment);
  [[nodiscard]] bool keep_instead_of_others(const Block& block);
  void let_go(const Block& block);

  SegmentHeap& heap_;
  NewMemory& new_;
};

}  // namespace armature::space
