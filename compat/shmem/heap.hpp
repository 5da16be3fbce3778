#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../heap/pieces.hpp"

// A rank's symmetric heap: large blocks that lie at the same place in all segments
// (layer/symmetric.hpp), and pieces of them.

namespace shmem {

class Heap {
 public:
  /// Makes the first block, of SHMEM_SYMMETRIC_SIZE bytes or 64 MiB. Collective over all ranks.
  /// Throws Error(bad_argument) for a size that is none, Error(out_of_memory).
  void open();
  /// Gives all blocks back. Collective.
  void close();

  /// Collective over all ranks, with the same numbers. nullptr where there is no memory: where
  /// SHMEM_SYMMETRIC_SIZE has set a limit, it does not grow.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment);
  /// Throws Error(bad_address) for what is not allocated.
  void release(void* block);
  /// The length of a block. Throws Error(bad_address) for what is not allocated.
  [[nodiscard]] std::size_t bytes_of(void* block) const;
  /// Whether a block that is allocated begins there.
  [[nodiscard]] bool has(const void* block) const { return pieces_.bytes_of(block).has_value(); }
  [[nodiscard]] bool contains(const void* address) const;
  /// Tells this process where the heaps lie. There is a block.
  void learn_extent() const;
  /// A few words about where the heap lies, for errors.
  [[nodiscard]] std::string place() const;

 private:
  void add_block(std::size_t bytes);

  std::vector<std::pair<std::byte*, std::size_t>> blocks_;
  heap::Pieces pieces_;
  bool may_grow_ = true;
};

}  // namespace shmem
