#pragma once

#include <atomic>
#include <cstdint>

namespace armature::space {

/// A node's account of memory that its ranks were promised and that is not there yet. What is there
/// already the kernel counts, so both together are what is taken of each limit.
///
/// Two sums that only grow: their difference is what is outstanding. See reservations.hpp.
struct ReservedMemory {
  std::atomic<std::uint64_t> granted{0};  // bytes ever promised
  std::atomic<std::uint64_t> settled{
      0};  // of these, what is there by now or is not wanted any more
};

/// Memory of the node that was promised to a process and is not there yet; and the part of it from
/// which nothing was allocated. See Reservations.
struct ReservedByProcess {
  std::atomic<std::uint64_t> reserved{0};
  std::atomic<std::uint64_t> spare{0};
};

/// Local memory of one rank whose pages come when they are touched: its promises last.
struct LazyMemory {
  std::atomic<std::uint64_t> bytes{0};  // all of it; whole pages
  // How many of its pages may not be there yet, above a number that changes with every change: who
  // has counted pages sees whether the count still holds.
  std::atomic<std::uint64_t> awaited{0};
};

}  // namespace armature::space
