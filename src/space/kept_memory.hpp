#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "space/kept_blocks.hpp"
#include "space/small_blocks.hpp"

namespace armature::space {

/// Local memory that a rank has freed and keeps for its next allocations: large blocks with their
/// pages, up to a number of bytes, and small ones. Under the lock of the segment's heap.
class KeptMemory {
 public:
  using Block = KeptBlocks::Block;

  /// `blocks` are in the segment's head, where others may empty them.
  explicit KeptMemory(KeptBlocks& blocks) : blocks_(blocks) {}

  [[nodiscard]] SmallBlocks& small() { return small_; }

  [[nodiscard]] bool has_large() const { return bytes_ > 0; }
  /// How many bytes of large blocks are kept at most; 0 until somebody has looked how many there
  /// may be.
  [[nodiscard]] std::uint64_t bytes_max() const { return bytes_max_; }
  void limit(std::uint64_t bytes_max) { bytes_max_ = bytes_max; }

  [[nodiscard]] bool has_room_for(const Block& block) const {
    return bytes_ + block.bytes <= bytes_max_ && blocks_.has_room();
  }
  /// False when there is no room for it.
  [[nodiscard]] bool put(const Block& block) {
    if (bytes_ + block.bytes > bytes_max_ || !blocks_.put(block)) return false;
    bytes_ += block.bytes;
    ++uses_;
    return true;
  }
  /// One that fits, the last one first; without an address when there is none.
  [[nodiscard]] Block take(std::size_t bytes, std::size_t alignment) {
    if (bytes_ == 0) return {};
    Block block = blocks_.take_last(bytes, alignment);
    if (block.address == nullptr) [[unlikely]] {
      const std::optional<Block> other = blocks_.take(bytes, alignment);
      if (!other) return {};
      block = *other;
    }
    bytes_ -= block.bytes;
    ++uses_;
    return block;
  }
  /// One that has not been taken for long.
  [[nodiscard]] std::optional<Block> take_oldest() { return without(blocks_.take_oldest()); }
  /// One whose pages somebody has given back.
  [[nodiscard]] std::optional<Block> take_emptied() { return without(blocks_.take_emptied()); }

  /// Whether nothing was put or taken for so long, as far as it was asked.
  [[nodiscard]] bool is_unused_for(std::uint64_t ns, std::uint64_t now_ns) {
    if (uses_ != uses_seen_) unused_since_ns_ = now_ns;
    uses_seen_ = uses_;
    return now_ns - unused_since_ns_ >= ns;
  }

 private:
  [[nodiscard]] std::optional<Block> without(const std::optional<Block>& block) {
    if (block) bytes_ -= block->bytes;
    return block;
  }

  KeptBlocks& blocks_;
  SmallBlocks small_;
  std::uint64_t bytes_ = 0, bytes_max_ = 0;
  std::uint64_t uses_ = 0;  // changes of what is kept
  // When is_unused_for() has first seen so many uses.
  std::uint64_t uses_seen_ = 0, unused_since_ns_ = 0;
};

}  // namespace armature::space
