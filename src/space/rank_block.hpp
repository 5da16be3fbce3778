#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::space {

class RankHeap;

/// The head in front of each block of memory of a RankHeap.
struct RankBlock {
  /// `lent`: in use, and of a thread's heap. `moved`: a second one, in front of aligned memory.
  static constexpr std::uint32_t used = 0x6b6f'6c42, unused = 0x6565'7246, lent = 0x746e'654c,
                                 moved = 0x6465'766d;
  static constexpr std::size_t head_bytes = 16;

  std::uint32_t kind;
  std::uint32_t state;
  union {
    std::uint64_t distance;  // of one that is moved: from the memory that was taken
    RankHeap* owner;         // of one that is lent
  };
  RankBlock* next;  // while it is free: in the user's bytes

  /// The one in front of memory that was allocated.
  [[nodiscard]] static RankBlock& of(void* memory) {
    auto* block = reinterpret_cast<RankBlock*>(static_cast<std::byte*>(memory) - head_bytes);
    if (block->state == moved)
      block = reinterpret_cast<RankBlock*>(reinterpret_cast<std::byte*>(block) - block->distance);
    return *block;
  }
  [[nodiscard]] std::byte* memory() { return reinterpret_cast<std::byte*>(&next); }
  /// Ends the process, saying why, when it is not in use.
  void require_in_use() const;

  /// Clears the memory of a block whose whole pages were given back, or never used: they are zeros,
  /// but for what stood in it while it was free.
  static void clear_edges(std::byte* memory, std::size_t bytes);
};

}  // namespace armature::space
