#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace armature::space {

/// One block of memory in a band, and what for.
struct Allocation {
  enum class Kind : std::uint64_t { collective = 0, local = 1, internal = 2 };

  std::uint64_t begin = 0;
  std::uint64_t bytes : 62 = 0;
  std::uint64_t kind : 2 = 0;
};
static_assert(sizeof(Allocation) == 16);

/// The list of what a rank has allocated, sorted by address, in its band's head. Written by that
/// rank alone; read by others when they check an address in full or explain a wrong one. A sequence
/// lock over words that are read and written one by one: readers retry while it changes, and give
/// up (nullopt) when it stays odd because its owner died.
class Allocations {
 public:
  /// Room for this many; adding more fails.
  static constexpr std::size_t count_max = (16u << 20) / sizeof(Allocation) - 4;

  [[nodiscard]] bool add(const Allocation& allocation);
  /// Removes and returns the one that begins there.
  std::optional<Allocation> remove(std::uint64_t begin);

  /// The one that holds the address, else the nearest to it, else none. Safe from any process.
  [[nodiscard]] std::optional<Allocation> nearest(std::uint64_t address) const;
  [[nodiscard]] std::size_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  // An allocation as it lies in the list: two words, each of which is whole at any time.
  struct Entry {
    std::atomic<std::uint64_t> begin;
    std::atomic<std::uint64_t> bytes_and_kind;
  };
  static_assert(sizeof(Entry) == sizeof(Allocation));

  [[nodiscard]] Allocation at(std::size_t i) const;
  void set(std::size_t i, const Allocation& allocation);
  [[nodiscard]] std::size_t lower_bound(std::uint64_t begin, std::size_t count) const;
  void open();
  void close();

  alignas(64) std::atomic<std::uint64_t> sequence_{0};
  std::atomic<std::uint64_t> count_{0};
  Entry list_[1];  // as long as the room in the head allows; sparse
};

}  // namespace armature::space
