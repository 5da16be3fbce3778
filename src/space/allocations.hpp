#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace armature::space {

/// One block of memory in a segment, and what for.
struct Allocation {
  enum class Kind : std::uint64_t { collective = 0, local = 1, internal = 2, gap = 3 };

  std::uint64_t begin = 0;
  std::uint64_t bytes : 62 = 0;
  std::uint64_t kind : 2 = 0;

  static Allocation of(const void* address, std::size_t bytes, Kind kind) {
    constexpr unsigned bytes_bits = 62;
    return std::bit_cast<Allocation>(std::array<std::uint64_t, 2>{
        reinterpret_cast<std::uint64_t>(address),
        (bytes & ((std::uint64_t{1} << bytes_bits) - 1)) | static_cast<std::uint64_t>(kind)
                                                               << bytes_bits});
  }
};
static_assert(sizeof(Allocation) == 16);

/// The list of what a rank has allocated, sorted by address, in its segment's head. Written by that
/// rank alone; read by others when they check an address in full or explain a wrong one. A sequence
/// lock over words that are read and written one by one: readers retry while it changes, and give
/// up (nullopt) when it stays odd because its owner died.
///
/// What is removed leaves a gap: its entry stays where it is, and is passed over, until an addition
/// takes its place or gaps are too many, and the list is closed up. So freeing in whatever order
/// costs a search, not a move of all that lies behind. Memory that is freed and used again over and
/// over costs not even the search: its entry is where it was found last.
///
/// Invariant: entries, gaps included, are in strictly ascending order of where they begin; at most
/// an eighth of them and a few more are gaps, which also bounds what a reader passes over.
class Allocations {
 public:
  /// Room for this many; adding more fails.
  static constexpr std::size_t count_max = ((16u << 20) - 1024) / sizeof(Allocation) - 68;

  [[nodiscard]] bool add(const Allocation& allocation);
  /// Removes and returns the one that begins there, if it is of that kind or none is named.
  std::optional<Allocation> remove(std::uint64_t begin,
                                   Allocation::Kind kind = Allocation::Kind::gap);

  // Adding and removing without a search:
  /// Adds what takes the place of one that was removed. False: it is not known where; add it.
  [[nodiscard]] bool add_again(std::uint64_t begin, std::uint64_t bytes,
                               Allocation::Kind kind) noexcept;
  /// One of the list, until that changes.
  struct Found {
    std::size_t place;
    std::uint64_t bytes;

    [[nodiscard]] bool is_none() const { return place == SIZE_MAX; }
  };
  /// One of that kind that begins there. None: it is not known where.
  [[nodiscard]] Found find_again(std::uint64_t begin, Allocation::Kind kind) const noexcept;
  void remove(const Found& found) noexcept;

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
  [[nodiscard]] std::size_t count() const { return used() - gaps(); }

 private:
  class Change;
  // By words: a processor waits for bits of a word that are written and read again as a whole.
  struct Words {
    std::uint64_t begin, bytes_and_kind;
    [[nodiscard]] std::uint64_t kind() const { return bytes_and_kind >> kind_shift; }
    [[nodiscard]] bool is_gap() const { return kind() == gap; }
  };
  static constexpr unsigned kind_shift = 62;
  static constexpr std::size_t gaps_always = 64;
  static constexpr auto gap = static_cast<std::uint64_t>(Allocation::Kind::gap);
  static Words words(const Allocation& allocation) { return std::bit_cast<Words>(allocation); }

  // An allocation as it lies in the list: two words, each of which is whole at any time.
  struct Entry {
    std::atomic<std::uint64_t> begin;
    std::atomic<std::uint64_t> bytes_and_kind;
  };
  static_assert(sizeof(Entry) == sizeof(Allocation));

  [[nodiscard]] std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t gaps() const { return gaps_.load(std::memory_order_relaxed); }
  // Relaxed throughout: the sequence number orders them.
  [[nodiscard]] Words words_at(std::size_t i) const {
    return {list_[i].begin.load(std::memory_order_relaxed),
            list_[i].bytes_and_kind.load(std::memory_order_relaxed)};
  }
  [[nodiscard]] Allocation at(std::size_t i) const {
    return std::bit_cast<Allocation>(words_at(i));
  }
  [[nodiscard]] bool is_gap(std::size_t i) const { return words_at(i).is_gap(); }
  void set(std::size_t i, const Words& words) {
    list_[i].begin.store(words.begin, std::memory_order_relaxed);
    list_[i].bytes_and_kind.store(words.bytes_and_kind, std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t lower_bound(std::uint64_t begin, std::size_t count) const;
  [[nodiscard]] std::size_t place_of(std::uint64_t begin);
  void close_gaps() noexcept;
  [[nodiscard]] std::optional<Allocation> nearest_of(std::uint64_t address, std::size_t n) const;

  alignas(64) std::atomic<std::uint64_t> sequence_{0};
  std::atomic<std::uint64_t> used_{0};  // entries, gaps included
  std::atomic<std::uint64_t> gaps_{0};
  // The indices at which beginnings were found last, by some of their bits. The writer alone uses
  // them.
  static constexpr unsigned places_bits = 8;
  static std::size_t some_bits(std::uint64_t begin) {
    // The upper bits of the product depend on all bits of the address.
    return begin * 0x9E3779B97F4A7C15 >> (64 - places_bits);
  }
  std::uint32_t places_[1u << places_bits] = {};
  Entry list_[1];  // as long as the room in the head allows; sparse
};

/// Odd numbers while the list changes. One writer, so nobody else changes the number.
class Allocations::Change {
 public:
  explicit Change(Allocations& list)
      : sequence_(list.sequence_), before_(sequence_.load(std::memory_order_relaxed)) {
    sequence_.store(before_ + 1, std::memory_order_relaxed);
    // The changes come after the odd number.
    std::atomic_thread_fence(std::memory_order_release);
  }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;
  // Release: the changes come before the even number.
  ~Change() { sequence_.store(before_ + 2, std::memory_order_release); }

 private:
  std::atomic<std::uint64_t>& sequence_;
  std::uint64_t before_;
};

inline bool Allocations::add_again(std::uint64_t begin, std::uint64_t bytes,
                                   Allocation::Kind kind) noexcept {
  const Found gap_there = find_again(begin, Allocation::Kind::gap);
  if (gap_there.is_none()) return false;
  const Change change(*this);
  list_[gap_there.place].bytes_and_kind.store(
      bytes | static_cast<std::uint64_t>(kind) << kind_shift, std::memory_order_relaxed);
  gaps_.store(gaps() - 1, std::memory_order_relaxed);
  return true;
}

inline Allocations::Found Allocations::find_again(std::uint64_t begin,
                                                  Allocation::Kind kind) const noexcept {
  constexpr Found none{SIZE_MAX, 0};
  const std::size_t place = places_[some_bits(begin)];
  if (place >= used()) return none;
  const Words there = words_at(place);
  if (there.begin != begin || there.kind() != static_cast<std::uint64_t>(kind)) return none;
  return {place, there.bytes_and_kind & ~(gap << kind_shift)};
}

inline void Allocations::remove(const Found& found) noexcept {
  const Change change(*this);
  list_[found.place].bytes_and_kind.store(found.bytes | gap << kind_shift,
                                          std::memory_order_relaxed);
  const std::size_t gaps_now = gaps() + 1;
  gaps_.store(gaps_now, std::memory_order_relaxed);
  if (gaps_now > gaps_always && gaps_now > used() / 8 + gaps_always) [[unlikely]]
    close_gaps();
}

}  // namespace armature::space
