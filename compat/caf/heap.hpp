#pragma once

#include <cstddef>
#include <vector>

#include <armature/team.hpp>

#include "../heap/pieces.hpp"

namespace caf {

/// The coarrays of a team: at one distance from the begin of the segments of all members. All
/// members allocate and free the same in the same order, so nobody need ask the others where there
/// is room. Memory is taken in blocks, since one of the segment takes whole pages.
class Heap {
 public:
  /// Blocks are of that many bytes, or of one coarray that is larger than half of it.
  explicit Heap(std::size_t block_bytes) : block_bytes_(block_bytes) {}

  /// Collective where a block is needed, which is then the same at all members. Throws
  /// Error(out_of_memory).
  [[nodiscard]] void* allocate(const armature::Team& team, std::size_t bytes);
  /// Collective for a coarray that has a block for itself.
  void release(const armature::Team& team, void* memory);
  [[nodiscard]] bool contains(const void* address) const;

 private:
  struct Block {
    std::byte* begin;
    std::size_t bytes;
  };
  std::size_t block_bytes_;
  std::vector<Block> blocks_;
  heap::Pieces pieces_;
};

}  // namespace caf
