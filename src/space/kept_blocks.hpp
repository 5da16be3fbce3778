#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace armature::space {

/// Blocks of a segment's heap that were freed and keep their pages for the next allocation. In the
/// segment's head, all zeros at first. The rank whose segment that is puts and takes them, under
/// the lock of its heap; any process of the node that lacks memory may empty them.
///
/// Invariant: whoever has changed a block's state away from `kept` has it alone. So the rank never
/// takes a block whose pages somebody is giving back, and no block is emptied twice.
class KeptBlocks {
 public:
  static constexpr std::size_t count_max = 32;

  struct Block {
    std::byte* address = nullptr;
    std::size_t bytes = 0;
  };

  // By the rank:
  [[nodiscard]] bool has_room() const {
    const auto is_free = [](const Entry& entry) {
      return entry.word.load(std::memory_order_relaxed) == none;
    };
    return is_free(entries_[next_]) || std::ranges::any_of(entries_, is_free);
  }
  /// False when there is no room for one more.
  [[nodiscard]] bool put(const Block& block) {
    for (std::size_t i = 0; i < count_max; ++i) {
      Entry& entry = entries_[(next_ + i) % count_max];
      if (entry.word.load(std::memory_order_relaxed) != none) continue;
      entry.bytes.store(block.bytes, std::memory_order_relaxed);
      // Release: who empties it sees how long it is.
      entry.word.store(number(block.address) | kept, std::memory_order_release);
      next_ = (next_ + i + 1) % count_max;
      return true;
    }
    return false;
  }
  /// The last one that was put, or the smallest, that is large enough, aligned like that, and not
  /// more than twice as large.
  [[nodiscard]] std::optional<Block> take(std::size_t bytes, std::size_t alignment) {
    if (const Block last = take_last(bytes, alignment); last.address != nullptr) return last;
    for (;;) {
      Entry* best = nullptr;
      for (Entry& entry : entries_)
        if (fits(entry, bytes, alignment) && (best == nullptr || length(entry) < length(*best)))
          best = &entry;
      if (best == nullptr) return std::nullopt;
      if (std::byte* const address = change(*best, kept, none))
        return Block{address, length(*best)};
    }
  }
  /// Takes the block that was put last, if it fits as for take(); otherwise returns a block without
  /// an address.
  [[nodiscard]] Block take_last(std::size_t bytes, std::size_t alignment) {
    const std::uint64_t place = (next_ + count_max - 1) % count_max;
    Entry& last = entries_[place];
    if (!fits(last, bytes, alignment)) return {};
    std::byte* const address = change(last, kept, none);
    if (address == nullptr) return {};
    next_ = place;
    return {address, length(last)};
  }
  /// One that nobody has taken for the longest time, or nearly so.
  [[nodiscard]] std::optional<Block> take_oldest() { return take_any(kept); }
  /// One whose pages somebody has given back.
  [[nodiscard]] std::optional<Block> take_emptied() { return take_any(emptied); }

  /// By anyone: gives back the pages of all, with `empty(block)`.
  template <class Empty>
  void empty_all(Empty&& empty) {
    for (Entry& entry : entries_)
      if (std::byte* const address = change(entry, kept, emptying)) {
        empty(Block{address, length(entry)});
        // Release: that comes before the rank uses the addresses again.
        entry.word.store(number(address) | emptied, std::memory_order_release);
      }
  }

 private:
  // The address of a block, which is a multiple of 64, and its state.
  struct Entry {
    std::atomic<std::uint64_t> word{0};
    std::atomic<std::uint64_t> bytes{0};
  };
  static constexpr std::uint64_t none = 0, kept = 1, emptying = 2, emptied = 3, state = 3;

  static std::uint64_t number(const std::byte* address) {
    return reinterpret_cast<std::uint64_t>(address);
  }
  static std::size_t length(const Entry& entry) {
    return entry.bytes.load(std::memory_order_relaxed);
  }
  static bool fits(const Entry& entry, std::size_t bytes, std::size_t alignment) {
    const std::uint64_t word = entry.word.load(std::memory_order_relaxed);
    const std::size_t has = length(entry);
    return (word & state) == kept && has >= bytes && has / 2 <= bytes &&
           (word & ~state & (alignment - 1)) == 0;
  }
  /// Its address if it was in that state, and the caller is who has changed that; else nullptr.
  static std::byte* change(Entry& entry, std::uint64_t from, std::uint64_t to) {
    std::uint64_t word = entry.word.load(std::memory_order_relaxed);
    if (word == none || (word & state) != from) return nullptr;
    const std::uint64_t address = word & ~state;
    if (!entry.word.compare_exchange_strong(word, to == none ? none : address | to,
                                            std::memory_order_acquire))
      return nullptr;
    return reinterpret_cast<std::byte*>(address);
  }
  std::optional<Block> take_any(std::uint64_t from) {
    for (std::size_t i = 0; i < count_max; ++i) {
      Entry& entry = entries_[(next_ + i) % count_max];
      if (std::byte* const address = change(entry, from, none))
        return Block{address, length(entry)};
    }
    return std::nullopt;
  }

  std::array<Entry, count_max> entries_;
  std::uint64_t next_ = 0;  // where the next is put, if that is free; the rank's
};

}  // namespace armature::space
