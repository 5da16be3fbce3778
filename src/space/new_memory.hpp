#pragma once

#include <cstddef>

#include "space/node_memory.hpp"
#include "space/segment_heap.hpp"

namespace armature::space {

/// New memory of a rank's segment: promised by the node's account, then taken from the heap, then
/// zeroed. So want of memory is an error here, and never a signal when the memory is used.
class NewMemory {
 public:
  using By = SegmentHeap::By;
  using Failure = SegmentHeap::Failure;

  /// Both must live as long.
  NewMemory(const Mapping& mapping, SegmentHeap& heap)
      : node_(mapping), mapping_(mapping), heap_(heap) {}

  /// When the pages of a large block exist: when the call returns, or when they are touched, which
  /// was promised.
  enum class Pages { now, when_touched };
  /// Zero-filled. On failure nullptr, and `failure` says why.
  [[nodiscard]] void* make(std::size_t bytes, std::size_t alignment, Pages pages, Failure& failure,
                           By by);
  /// Promises so much, or says what stops that.
  [[nodiscard]] bool reserve(std::size_t bytes, Failure& failure) const;
  /// So much of what was promised is there, or is not wanted.
  void settle(std::size_t bytes) const;

  [[nodiscard]] const NodeMemory& node() const { return node_; }

 private:
  [[nodiscard]] int process() const;
  [[nodiscard]] bool fill(void* address, std::size_t bytes, std::size_t reserved, Pages pages);
  [[nodiscard]] bool fill_small(void* address, std::size_t bytes, Failure& failure);

  const NodeMemory node_;
  const Mapping& mapping_;
  SegmentHeap& heap_;
};

}  // namespace armature::space
