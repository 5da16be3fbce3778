#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace armature::space {

/// One block of memory in a band, and what for.
struct Allocation {
  enum class Kind : std::uint64_t { collective = 0, local = 1, internal = 2, gap = 3 };

  std::uint64_t begin = 0;
  std::uint64_t bytes : 62 = 0;
  std::uint64_t kind : 2 = 0;
};
static_assert(sizeof(Allocation) == 16);

/// The list of what a rank has allocated, sorted by address, in its band's head. Written by that
/// rank alone; read by others when they check an address in full or explain a wrong one. A sequence
/// lock over words that are read and written one by one: readers retry while it changes, and give
/// up (nullopt) when it stays odd because its owner died.
///
/// What is removed leaves a gap: its entry stays where it is, and is passed over, until an addition
/// takes its place or gaps are more than an eighth of the list, which is then closed up. So freeing
/// in whatever order costs a search, not a move of all that lies behind.
///
/// Invariant: entries, gaps included, are in strictly ascending order of where they begin; at most
/// an eighth of them are gaps, which also bounds what a reader passes over.
class Allocations {
 public:
  /// Room for this many; adding more fails.
  static constexpr std::size_t count_max = ((16u << 20) - 1024) / sizeof(Allocation) - 4;

  [[nodiscard]] bool add(const Allocation& allocation);
  /// Removes and returns the one that begins there, if it is of that kind or none is named.
  std::optional<Allocation> remove(std::uint64_t begin,
                                   Allocation::Kind kind = Allocation::Kind::gap);

  /// The one that holds the address, else the nearest to it, else none. Safe from any process.
  [[nodiscard]] std::optional<Allocation> nearest(std::uint64_t address) const;
  /// All local ones that are at least so large. Safe from any process.
  [[nodiscard]] std::vector<Allocation> large_local(std::uint64_t bytes_min) const;
  /// Entry `i`, in order of addresses, gaps too; nothing behind the last. For a process that dies:
  /// the list may be half changed.
  [[nodiscard]] std::optional<Allocation> entry(std::size_t i) const {
    if (i >= used() || i >= count_max) return std::nullopt;
    return at(i);
  }
  [[nodiscard]] std::size_t count() const { return used() - gaps_.load(std::memory_order_relaxed); }

 private:
  // An allocation as it lies in the list: two words, each of which is whole at any time.
  struct Entry {
    std::atomic<std::uint64_t> begin;
    std::atomic<std::uint64_t> bytes_and_kind;
  };
  static_assert(sizeof(Entry) == sizeof(Allocation));

  [[nodiscard]] std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  [[nodiscard]] Allocation at(std::size_t i) const;
  [[nodiscard]] bool is_gap(std::size_t i) const;
  void set(std::size_t i, const Allocation& allocation);
  [[nodiscard]] std::size_t lower_bound(std::uint64_t begin, std::size_t count) const;
  void open();
  void close();
  void close_gaps();
  [[nodiscard]] std::optional<Allocation> nearest_of(std::uint64_t address, std::size_t n) const;

  alignas(64) std::atomic<std::uint64_t> sequence_{0};
  std::atomic<std::uint64_t> used_{0};  // entries, gaps included
  std::atomic<std::uint64_t> gaps_{0};
  Entry list_[1];  // as long as the room in the head allows; sparse
};

}  // namespace armature::space
