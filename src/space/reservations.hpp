#pragma once

#include <cstdint>

#include "space/control.hpp"
#include "topology/memory.hpp"

namespace armature::space {

/// Promises of a node's memory: memory is reserved before it is used, for all ranks of the node
/// together, so that what one was told is free is not what another was told.
///
/// Invariant: what is charged to a limit, and what is promised and not charged yet, are together at
/// most the limit less the part that topology::memory_room keeps free. Everything that our ranks
/// allocate is one or the other at any instant, or both for a moment. What other programs take
/// later nobody can prevent; the part that is kept free is for them.
///
/// Proof: a promise looks at `settled`, then at what is charged, then adds to `granted`. Memory
/// that came to be there before the look is charged; memory that comes later was not settled when
/// we looked, so it is still in granted - settled. Promises by others between our look and our
/// addition change `granted`, so the addition fails and is tried again with theirs counted.
///
/// A process that dies leaves its promises in its slot and its ranks' slots: give_up() returns
/// them. Each step changes first what makes the account larger, so one that is killed within a step
/// leaves it too large by that step, never too small.
class Reservations {
 public:
  explicit Reservations(const Control& control) : control_(control) {}

  /// Promises so much to a process. Otherwise false, and `room` is what could be had.
  [[nodiscard]] bool take(std::uint64_t bytes, int process, topology::MemoryRoom& room) const;
  /// So much of it is there now, or is not wanted.
  void settle(std::uint64_t bytes, int process) const;
  /// How much more can be had: what no limit forbids and nobody was promised.
  [[nodiscard]] topology::MemoryRoom room() const;

  // Lazy memory of a rank, which is made of whole pages that a process was promised:
  void begin_lazy(std::uint64_t bytes, int process, int rank) const;
  /// Its pages are gone, or belong to no allocation any more.
  void end_lazy(std::uint64_t bytes, int rank) const;
  /// Its pages are about to be given back, but it may touch them again.
  void renew_lazy(std::uint64_t bytes, int rank) const;

  /// A rank's lazy memory before its pages are counted. Pages of allocations that are listed are
  /// counted; pages go only after their allocation is taken off the list.
  struct Count {
    std::uint64_t awaited, bytes;
  };
  [[nodiscard]] Count begin_count(int rank) const;
  /// At least so many bytes of it are there. Nothing changes if the rank has changed it since.
  void end_count(const Count& count, std::uint64_t bytes, int rank) const;

  /// Returns the promises of a process that has died.
  void give_up(int process) const;
  /// Returns the lazy memory of a rank that has left the job.
  void give_up_lazy(int rank) const;

 private:
  [[nodiscard]] bool grant(std::uint64_t bytes, std::uint64_t settled, std::uint64_t room) const;
  void reduce(LazyMemory& lazy, std::uint64_t bytes_max) const;

  Control control_;
};

}  // namespace armature::space
