#pragma once

#include <cstddef>
#include <cstdint>

#include "space/segment_pages.hpp"

namespace armature::space {

/// The allocator of addresses inside a segment. It grows into its range as it is used, since the
/// tree writes to both ends of what it has. All its state lies in the segment itself
/// (Boost.Interprocess's red-black tree best fit), so a rank that moves to another process takes
/// its heap along. Who shares the heap uses it one at a time, but for its pages.
class Heap {
 public:
  /// Makes a heap in [start, start + bytes), which must be zero pages of the memory file `fd` from
  /// `file_offset` on.
  static Heap create(std::byte* start, std::size_t bytes, int fd, std::uint64_t file_offset);

  /// Addresses; nullptr with errno ENOMEM when the segment has no gap that large.
  [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment);
  void free(void* address);
  [[nodiscard]] std::size_t free_bytes() const;
  /// As many bytes as it can be used for: at least as many as were asked for.
  [[nodiscard]] std::size_t block_bytes(const void* address) const;

  /// How many bytes it has grown to; it may grow to so many, which are whole pages and no fewer.
  [[nodiscard]] std::size_t grown_bytes() const;
  void limit(std::size_t bytes_max) { pages_.limit(bytes_max); }

  /// Those below it.
  [[nodiscard]] SegmentPages& pages() { return pages_; }

 private:
  struct Tree;
  [[nodiscard]] bool grow(std::size_t bytes);

  Tree* tree_ = nullptr;  // made when it is first needed: ranks that allocate nothing have no page
  SegmentPages pages_;
};

}  // namespace armature::space
