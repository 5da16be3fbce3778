#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

// Pieces of large blocks that lie at the same place in all segments (layer/symmetric.hpp). All
// ranks make the same calls, so all divide alike, and no rank has to ask another one. A first fit
// in the order of addresses was chosen over lists by size: programs allocate seldom, and it is the
// same on all ranks by its nature.

namespace heap {

/// Pieces begin at cache lines, so that what two ranks change does not share one by chance.
inline constexpr std::size_t line_bytes = 64;

/// Returns the bytes that a piece of so many takes; for lengths beyond all memory one that no block
/// has.
[[nodiscard]] inline std::size_t rounded(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return SIZE_MAX / 2 / line_bytes * line_bytes;
  return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}

class Pieces {
 public:
  /// The block is free from now on.
  void add(std::byte* begin, std::size_t bytes) { free_[begin] = bytes; }

  /// Returns the first piece that fits, or nullptr. `bytes` is rounded; `alignment` a power of two.
  [[nodiscard]] std::byte* take(std::size_t bytes, std::size_t alignment = line_bytes) {
    for (const auto& [begin, length] : free_) {
      const auto address = reinterpret_cast<std::uintptr_t>(begin);
      const std::size_t before = (alignment - address % alignment) % alignment;
      if (before > length || bytes > length - before) continue;
      std::byte* const start = begin;
      std::byte* const piece = start + before;
      const std::size_t behind = length - before - bytes;
      free_.erase(start);
      if (before > 0) free_[start] = before;
      if (behind > 0) free_[piece + bytes] = behind;
      used_[piece] = bytes;
      return piece;
    }
    return nullptr;
  }

  /// The bytes of a piece that is used; nothing for what is none.
  [[nodiscard]] std::optional<std::size_t> bytes_of(const void* piece) const {
    const auto found = used_.find(static_cast<std::byte*>(const_cast<void*>(piece)));
    if (found == used_.end()) return std::nullopt;
    return found->second;
  }

  /// The piece is free again, and one with free neighbours. False: it is none that is used.
  bool release(void* piece) {
    auto* const begin = static_cast<std::byte*>(piece);
    const auto found = used_.find(begin);
    if (found == used_.end()) return false;
    std::size_t bytes = found->second;
    used_.erase(found);
    auto next = free_.lower_bound(begin);
    if (next != free_.end() && begin + bytes == next->first) {
      bytes += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin())
      if (const auto before = std::prev(next); before->first + before->second == begin) {
        before->second += bytes;
        return true;
      }
    free_[begin] = bytes;
    return true;
  }

 private:
  std::map<std::byte*, std::size_t> free_, used_;
};

}  // namespace heap
