#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::space {

/// The pages below a part of a segment, which lie in a memory file. Memory that somebody has taken
/// from the segment's heap is zeroed here, and its pages are made, so that touching it cannot fail.
/// What was taken is its taker's alone: no lock.
class SegmentPages {
 public:
  SegmentPages() = default;
  /// Those below [start, start + bytes_max), from `file_offset` of the memory file `fd` on.
  SegmentPages(std::byte* start, std::size_t bytes_max, int fd, std::uint64_t file_offset)
      : start_(start), bytes_max_(bytes_max), file_offset_(file_offset), fd_(fd) {}

  [[nodiscard]] std::byte* start() const { return start_; }
  [[nodiscard]] std::size_t bytes_max() const { return bytes_max_; }
  void limit(std::size_t bytes_max) { bytes_max_ = bytes_max; }

  // With large memory these take long:
  /// Zeroes it; its pages exist from then on. False when the kernel gives no memory: errno.
  [[nodiscard]] bool fill(void* address, std::size_t bytes);
  /// Zeroes it, but those of its pages that nothing else lies in exist only once they are touched.
  [[nodiscard]] bool fill_lazily(void* address, std::size_t bytes);
  /// How many bytes of pages fill() will have to make for a small one.
  [[nodiscard]] std::size_t missing(void* address, std::size_t bytes) const;
  /// Zeroes whole pages that are not the heap's, in the same memory file, and makes them exist.
  /// False when the kernel gives no memory: errno.
  [[nodiscard]] bool fill_whole(std::byte* from, std::byte* to);

 private:
  [[nodiscard]] std::byte* end_of(std::byte* end, std::size_t bytes) const;
  [[nodiscard]] bool make(std::byte* from, std::byte* to);

  std::byte* start_ = nullptr;
  std::size_t bytes_max_ = 0;
  std::uint64_t file_offset_ = 0;
  int fd_ = -1;
};

/// Zeroes what will be used in part, without making pages.
void clear_pages(void* address, std::size_t bytes);
/// Gives whole pages of a large block back to the machine, before its addresses are freed.
void let_pages_go(void* address, std::size_t bytes);
/// Gives back these pages.
void give_pages_back(std::byte* from, std::byte* to);
/// The bytes of a block's own pages, which nothing else lies in.
[[nodiscard]] std::size_t own_page_bytes(void* address, std::size_t bytes);
/// Those of them that exist.
[[nodiscard]] std::size_t own_page_bytes_there(void* address, std::size_t bytes);
/// More than any allocation of so many bytes makes exist.
[[nodiscard]] std::size_t bytes_to_reserve(std::size_t bytes);

/// From now on no page of this process's segments is given back: what is freed is zeroed instead.
/// For hardware that holds pages in place and would go on writing to those that were given back.
void keep_pages();
[[nodiscard]] bool keeps_pages();
/// Does so where the kernel only says that it gives pages back, as QEMU's user mode does. There
/// they would come again with what was in them.
void keep_pages_as_kernel_does();
/// Gives back whole pages of shared memory, by address. False, and they are as they were, when the
/// process keeps pages or the kernel refuses.
[[nodiscard]] bool remove_pages(void* begin, std::size_t bytes);

/// Sets the file descriptor of the one memory file in which all segments lie, open under that
/// number in this process. The process may then look after the heap of a rank that is in another
/// one.
void use_segments_file(int fd);
/// That number, or -1. For signal handlers, too.
[[nodiscard]] int segments_file();

}  // namespace armature::space
