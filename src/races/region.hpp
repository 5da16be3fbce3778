#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/job_mutex.hpp"

// The memory in which the processes of a node look for unordered accesses. It is plain data at the
// same address in all of them, made of zeros, and of a size that does not grow: what it has no room
// for is forgotten, and then an unordered access may be missed, but none is made up.

namespace armature::races {

inline constexpr std::uint32_t ranks_max = 256;

/// The kind of an access. Atomics of all kinds are ordered among each other, and an `order` is no
/// access, but a word by which ranks tell each other of what they have done (locks, notifications).
enum class Kind : std::uint8_t { none, read, write, atomic, order };

/// The place of a call: its name, and return addresses of the process that made it.
struct Site {
  static constexpr std::size_t frames_max = 10;
  std::array<std::uint64_t, frames_max> frames{};
  std::array<char, 32> call{};
};

/// An access to [begin, end). A put is numbered among those of its rank, so that a fence can say
/// which it completes.
struct Entry {
  std::uint64_t begin = 0, end = 0;
  std::uint32_t epoch = 0;  // of its rank, when it was made
  std::uint32_t put = 0;    // its number; 0: complete when it was made
  std::uint32_t site = 0;
  std::uint32_t sequence = 0;  // of all accesses
  std::int16_t rank = 0, target = 0;
  Kind kind = Kind::none;
  bool is_later = false;  // a non-blocking put, numbered among these
};

struct Bucket {
  static constexpr std::size_t entries_max = 8;
  std::array<Entry, entries_max> entries{};
  std::uint32_t forgotten = 0;  // 1: an entry by which ranks may be ordered
};

/// The fences of a rank: from that epoch on, puts up to these numbers are complete.
struct Fence {
  std::uint32_t puts = 0, later_puts = 0;
  std::int32_t target = -1;  // of all, or of one
  std::uint32_t epoch = 0;
};

/// A rank's own part.
struct RankPart {
  static constexpr std::size_t fences_max = 64, open_max = 64, rounds_max = 4;
  std::uint32_t puts = 0, later_puts = 0;  // how many it has made
  std::uint32_t fences = 0;                // of which the last ones are kept
  // Up to which numbers fences may have completed puts that are not kept any more.
  std::uint32_t puts_forgotten = 0, later_puts_forgotten = 0;
  std::uint32_t open = 0;  // non-blocking puts that it has not waited for
  std::array<Fence, fences_max> fence{};
  std::array<std::uint32_t, open_max> open_put{};
  struct Round {
    std::uint64_t team = 0, number = 0;
  };
  std::uint32_t rounds = 0;
  std::array<Round, rounds_max> round{};  // of teams, that it has entered last
  std::uint32_t keeps_puts = 0;           // its barriers complete no puts, while it is not 0
};

/// Aligned for the ranks' parts, which come behind it.
struct alignas(16) Region {
  static constexpr std::array<std::size_t, 3> buckets = {8192, 1024, 256};
  static constexpr std::array<int, 3> granule_bits = {8, 16, 24};
  static constexpr std::size_t sites_max = 4096;

  base::JobMutex mutex;
  std::uint32_t ranks = 0;
  std::uint32_t is_strict = 0;  // puts of a rank to one other are not ordered by themselves
  std::atomic<std::uint32_t> is_off = 0;  // nobody looks any more
  std::uint32_t sequence = 0;

  [[nodiscard]] static std::size_t bytes(std::uint32_t ranks) {
    return sizeof(Region) + ranks * (sizeof(RankPart) + clock_bytes(ranks)) + alignof(Site) +
           sites_max * sizeof(Site) + (buckets[0] + buckets[1] + buckets[2]) * sizeof(Bucket);
  }
  /// A rank's vector clock.
  [[nodiscard]] std::uint32_t* clock(int rank) { return clocks(rank); }
  /// The clock with which it entered one of its last rounds.
  [[nodiscard]] std::uint32_t* clock_of_round(int rank, std::size_t round) {
    return clocks(rank) + (1 + round) * ranks;
  }
  [[nodiscard]] RankPart& part(int rank) { return reinterpret_cast<RankPart*>(this + 1)[rank]; }
  [[nodiscard]] Site& site(std::uint32_t number) { return sites()[number]; }
  [[nodiscard]] Bucket& bucket_at(std::size_t level, std::uint64_t number) {
    auto* first = reinterpret_cast<Bucket*>(sites() + sites_max);
    for (std::size_t below = 0; below < level; ++below) first += buckets[below];
    return first[number];
  }
  /// The bucket of the granule among whose bytes an access lies; others share it.
  [[nodiscard]] Bucket& bucket(std::size_t level, std::uint64_t granule) {
    const std::uint64_t mixed = granule * 0x9e37'79b9'7f4a'7c15u >> 32;
    return bucket_at(level, mixed % buckets[level]);
  }

 private:
  static std::size_t clock_bytes(std::uint32_t ranks) {
    return (1 + RankPart::rounds_max) * std::size_t{ranks} * sizeof(std::uint32_t);
  }
  [[nodiscard]] std::uint32_t* clocks(int rank) {
    auto* const first = reinterpret_cast<std::byte*>(&part(static_cast<int>(ranks)));
    return reinterpret_cast<std::uint32_t*>(first +
                                            static_cast<std::size_t>(rank) * clock_bytes(ranks));
  }
  /// Behind the clocks. Their length is a multiple of 4 * 5, so the sites are aligned anew.
  [[nodiscard]] Site* sites() {
    const auto end = reinterpret_cast<std::uintptr_t>(clocks(static_cast<int>(ranks)));
    return reinterpret_cast<Site*>((end + alignof(Site) - 1) / alignof(Site) * alignof(Site));
  }
};

}  // namespace armature::races
