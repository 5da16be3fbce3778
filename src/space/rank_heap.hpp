#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "space/tie.hpp"

namespace armature::space {

/// What a virtual rank's malloc takes memory from: a heap that lies in the rank's band with all its
/// state, so it goes wherever the rank goes. Blocks of about the same size share a list of free
/// ones; the first of a list, or what has never been used, is taken. Used by the rank's process
/// while the rank runs; anyone may give blocks back. No locks.
class RankHeap {
 public:
  struct Range {
    std::byte* unused = nullptr;  // from here on nothing has been used
    std::byte* end = nullptr;
  };
  /// Makes one at `near.unused`, in zero pages of shared memory, which are a multiple of the page
  /// size. What fits into the rest of `near` goes there, else into `far`, which lies above it.
  static RankHeap& create(Range near, Range far);

  /// Memory as malloc gives it, a multiple of 16. nullptr when there is no room.
  [[nodiscard]] void* allocate(std::size_t bytes);
  /// The same, zeros.
  [[nodiscard]] void* allocate_zeros(std::size_t bytes);
  /// `alignment` is a power of two.
  [[nodiscard]] void* allocate_aligned(std::size_t alignment, std::size_t bytes);
  /// By the rank. Ends the process, saying why, when it is not in use.
  void free(void* memory);
  /// By anyone else, of this process or another. The rank takes it back when it needs memory.
  void free_from_outside(void* memory);
  /// How much there is from there on, at least what was asked for.
  [[nodiscard]] static std::size_t usable_bytes(const void* memory);

  /// What keeps the rank in its process, of what malloc's library knows.
  [[nodiscard]] Tie tie() const { return Tie::none; }

  RankHeap(const RankHeap&) = delete;
  RankHeap& operator=(const RankHeap&) = delete;

 private:
  struct Block;
  static constexpr std::size_t kinds = 224;

  RankHeap() = default;
  static Block& block_of(void* memory);
  [[nodiscard]] Block* take(std::size_t kind);
  [[nodiscard]] Block* take_other(std::size_t kind);
  [[nodiscard]] bool take_back();
  void put(Block& block);

  Range near_, far_;
  Block* free_[kinds] = {};
  alignas(64) std::atomic<Block*> from_outside_{nullptr};
};

}  // namespace armature::space
