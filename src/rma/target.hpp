#pragma once

#include <cstdint>

#include "armature/expose.hpp"
#include "rma/operation.hpp"
#include "rma/remote_records.hpp"
#include "rma/rows.hpp"
#include "space/mapping.hpp"
#include "wait/lock.hpp"

namespace armature::rma {

/// Memory of a rank that this process can touch, of whatever kind, for those who do so on behalf of
/// others. Accumulates exclude each other wherever they come from; so do atomics of memory that
/// only routines touch, and accumulates into it.
class Target {
 public:
  /// The rank that waits for the lock of a chunk, and how it waits.
  struct By {
    int rank;
    void (*contended)(wait::LockWord& word, int rank);
  };
  Target(const space::Mapping& mapping, Rank rank, const MemoryKind* kind, By by)
      : mapping_(mapping), rank_(rank), kind_(kind), by_(by) {}

  /// The rows' other side is ordinary memory.
  void write(const Rows& rows) const;
  void read(const Rows& rows) const;
  void add(const Rows& rows, const Update& update) const;
  /// Returns the value found.
  [[nodiscard]] std::uint64_t perform(const AtomicRecord& what) const;

 private:
  void add_by_routine(std::byte* to, const std::byte* from, std::size_t bytes,
                      const Update& update) const;

  const space::Mapping& mapping_;
  Rank rank_;
  const MemoryKind* kind_;  // nullptr: loads and stores reach it
  By by_;
};

/// By a thread that works for others: it must not wait as a rank does.
void await_chunk(wait::LockWord& word, int me);

}  // namespace armature::rma
