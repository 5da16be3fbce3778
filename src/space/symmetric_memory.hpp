#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "space/new_memory.hpp"
#include "space/segment_heap.hpp"
#include "space/symmetric_area.hpp"

namespace armature::space {

/// Symmetric memory of a rank: whole pages, at a distance from the segment's beginning that its
/// allocators choose. It lies behind the heap, which grows towards it.
class SymmetricMemory {
 public:
  /// All must live as long.
  SymmetricMemory(const Mapping& mapping, SegmentHeap& heap, NewMemory& fresh)
      : mapping_(mapping), heap_(heap), new_(fresh) {}

  /// The highest distance at which so many bytes are free, up to `end_max`.
  [[nodiscard]] std::optional<std::uint64_t> place_for(std::size_t bytes, std::uint64_t end_max);
  /// Zero-filled. On failure nullptr, and `failure` says why.
  [[nodiscard]] void* allocate(std::uint64_t offset, std::size_t bytes,
                               SegmentHeap::Failure& failure);
  /// Whether such a block begins there.
  [[nodiscard]] bool begins(const void* address);
  void free(void* address);

 private:
  [[nodiscard]] std::uint64_t offset_of(const void* address) const;
  [[nodiscard]] std::uint64_t heap_end() const;
  [[nodiscard]] bool take(std::uint64_t offset, std::size_t bytes);
  void release(std::uint64_t offset);

  const Mapping& mapping_;
  SegmentHeap& heap_;
  NewMemory& new_;
  std::optional<SymmetricArea> area_;  // of the segment, once there is some
};

}  // namespace armature::space
