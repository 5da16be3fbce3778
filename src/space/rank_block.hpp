#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::space {

class RankHeap;

/// What stands in front of each block of memory of a RankHeap.
struct RankBlock {
  /// `lent`: in use, and of a thread's heap. `moved`: a second one, in front of aligned memory.
  static constexpr std::uint32_t used = 0x6b6f'6c42, unused = 0x6565'7246, lent = 0x746e'654c,
                                 moved = 0x6465'766d;

  std::uint32_t kind;
  std::uint32_t state;
  union {
    std::uint64_t distance;  // of one that is moved: from the memory that was taken
    RankHeap* owner;         // of one that is lent
  };
  RankBlock* next;  // while it is free: in the user's bytes

  [[nodiscard]] std::byte* memory() { return reinterpret_cast<std::byte*>(&next); }
};

}  // namespace armature::space
