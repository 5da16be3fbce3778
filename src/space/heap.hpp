#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armature::space {

/// The allocator inside a band. It grows into its range as it is used, since the tree writes to
/// both ends of what it has. All its state lies in the band itself (Boost.Interprocess's red-black
/// tree best fit), so a rank that moves to another process takes its heap along. Used by the band's
/// owner only.
class Heap {
 public:
  /// From now on no heap of this process gives pages back: what is freed is zeroed instead. For
  /// hardware that holds pages in place and would go on writing to those that were given back.
  static void keep_pages();
  [[nodiscard]] static bool keeps_pages();

  /// Makes a heap in [start, start + bytes), which must be zero pages of the memory file `fd` from
  /// `file_offset` on.
  static Heap create(std::byte* start, std::size_t bytes, int fd, std::uint64_t file_offset);

  // Who shares the heap has one of these three at a time:
  /// Addresses; nullptr with errno ENOMEM when the band has no gap that large.
  [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment);
  void free(void* address);
  [[nodiscard]] std::size_t free_bytes() const;
  /// As many bytes as it can be used for: at least as many as were asked for.
  [[nodiscard]] std::size_t block_bytes(const void* address) const;

  /// How many bytes it has grown to; it may grow to so many, which are whole pages and no fewer.
  [[nodiscard]] std::size_t grown_bytes() const;
  void limit(std::size_t bytes_max) { bytes_max_ = bytes_max; }

  // What was taken is its taker's alone. With large memory these take long:
  /// Zeroes it; its pages exist from then on, so that touching it cannot fail. False when the
  /// kernel gives no memory: errno.
  [[nodiscard]] bool fill(void* address, std::size_t bytes);
  /// Zeroes it, but those of its pages that nothing else lies in exist only once they are touched.
  [[nodiscard]] bool fill_lazily(void* address, std::size_t bytes);
  /// How many bytes of pages fill() will have to make for a small one.
  [[nodiscard]] std::size_t missing(void* address, std::size_t bytes) const;
  /// Zeroes what will be used in part, without reserving pages.
  void clear(void* address, std::size_t bytes);
  /// Gives whole pages back to the machine; before free.
  static void let_pages_go(void* address, std::size_t bytes);
  /// How many bytes its own pages have: those that nothing else lies in. How many of these exist.
  [[nodiscard]] static std::size_t own_bytes(void* address, std::size_t bytes);
  [[nodiscard]] static std::size_t own_bytes_there(void* address, std::size_t bytes);
  /// Of whole pages that are not the heap's, in the same memory file: zeroes them and makes them
  /// exist; gives them back. False when the kernel gives no memory: errno.
  [[nodiscard]] bool fill_pages(std::byte* from, std::byte* to);
  static void give_pages_back(std::byte* from, std::byte* to) { (void)drop_pages(from, to); }
  /// More than any allocation of so many bytes makes exist.
  [[nodiscard]] static std::size_t bytes_to_reserve(std::size_t bytes);

  /// Where all bands lie in one memory file: it is open under that number in this process, which
  /// may look after the heap of a rank that is in another one.
  static void use_file(int fd);
  /// That number, or -1.
  [[nodiscard]] static int file_of_all_bands();

 private:
  struct Tree;
  [[nodiscard]] bool grow(std::size_t bytes);
  [[nodiscard]] std::byte* pages_end(std::byte* end, std::size_t bytes) const;
  [[nodiscard]] static bool drop_pages(std::byte* from, std::byte* to);
  [[nodiscard]] bool reserve_pages(std::byte* from, std::byte* to);
  [[nodiscard]] std::uint64_t offset_of(const std::byte* address) const;
  [[nodiscard]] int file() const;

  Tree* tree_ = nullptr;  // made when it is first needed: ranks that allocate nothing have no page
  std::byte* start_ = nullptr;
  std::size_t bytes_max_ = 0;
  std::uint64_t file_offset_ = 0;
  int fd_ = -1;
};

}  // namespace armature::space
