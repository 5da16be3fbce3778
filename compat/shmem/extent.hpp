#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace shmem {

/// The extent of all heaps of the job in the first rank's segment. It is the same for all ranks of
/// the job, so it is the process's; it only grows. A process that had no rank when it grew learns
/// it from the first that comes and asks (same_place_slow).
struct HeapExtent {
  std::atomic<std::uintptr_t> begin = 0;
  std::atomic<std::size_t> bytes = 0;
  std::atomic<int> stride_bits = 0;      // segments are so many bits of an address apart
  std::atomic<std::uintptr_t> span = 0;  // of all segments
  // The own heap of a process that is one rank, and the distance from there to the first rank's.
  std::atomic<std::uintptr_t> own = 0;
  std::atomic<std::size_t> own_bytes = 0;
  std::atomic<std::uintptr_t> to_first = 0;
};
[[gnu::visibility("hidden")]] extern HeapExtent heap_extent;

/// The way from the segment of a process that is one rank to the same place in another's. It is
/// written before a symmetric address is known, and after that only as it is. Elsewhere it leads
/// nowhere.
struct DirectWay {
  static constexpr std::uintptr_t nowhere = std::uintptr_t{1} << 62;

  std::uintptr_t to_first = nowhere;
  std::uintptr_t stride = 0;

  bool operator==(const DirectWay&) const = default;
};
[[gnu::visibility("hidden")]] extern DirectWay direct_way;

/// Whether a definition of the program, or of a library before this one, takes the place of a
/// routine that programs have inlined (include/shmem_direct.h). Then all of them are called.
[[nodiscard]] bool is_routine_taken();

/// The extent of the program's variables (statics.hpp), the same for all ranks of the process. A
/// process rank finds them in its segment and at their own addresses, too.
struct StaticsExtent {
  std::atomic<std::uintptr_t> own = 0;
  std::atomic<std::uintptr_t> begin = 0;  // in the first rank's segment
  std::atomic<std::size_t> bytes = 0;
};
[[gnu::visibility("hidden")]] extern StaticsExtent statics_extent;

/// Whether the job looks for accesses that nothing orders (layer/races.hpp). The same for all
/// ranks.
[[gnu::visibility("hidden")]] extern bool looks_for_races;

/// The calling rank's heap lies there. Growth is collective, so ranks that share a process and tell
/// at one time tell the same.
void know_heap(const std::byte* low, const std::byte* high);
/// Programs look at the words that they wait for before they call, where the rank is a process.
/// They must not where the library has to hear of it, or to poll a network meanwhile.
void let_programs_look();
/// There is no heap any more.
void forget_heap();

}  // namespace shmem
