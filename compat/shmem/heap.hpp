#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

// A rank's symmetric heap: large blocks that lie at the same place in all segments
// (layer/symmetric.hpp), divided by a list of what is free. All ranks make the same calls, so all
// divide alike, and no rank has to ask another one. A first fit in the order of addresses was
// chosen over lists by size: programs allocate seldom, and it is the same on all ranks by its
// nature.

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
  [[nodiscard]] bool contains(const void* address) const;
  /// Tells this process where the heaps lie. There is a block.
  void learn_extent() const;
  /// A few words about where the heap lies, for errors.
  [[nodiscard]] std::string place() const;

 private:
  void add_block(std::size_t bytes);
  [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment);

  std::vector<std::pair<std::byte*, std::size_t>> blocks_;
  std::map<std::byte*, std::size_t> free_, used_;
  bool may_grow_ = true;
};

}  // namespace shmem
