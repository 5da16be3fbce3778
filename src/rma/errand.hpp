#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "armature/rank.hpp"
#include "rma/remote_records.hpp"
#include "space/exposures.hpp"
#include "space/mapping.hpp"
#include "wait/lock.hpp"

// Errands: work on exposed memory that a thread of the owning process does for other ranks of its
// node, since they cannot do it themselves. These are atomics, accumulates and operations on memory
// that only routines touch. Where the kernel does not copy between processes, all other operations
// are errands, too. Ranks ask one at a time, by a box in the owner's segment.

namespace armature::rma {

enum class ErrandDo : std::uint32_t { write, read, add, atomic };

/// The operation that is asked for. The bytes of rows lie densely in the box.
struct Errand {
  ErrandDo what;
  WriteRecord rows;     // of rows; of those that are read too
  AtomicRecord atomic;  // of an atomic
  std::uint64_t found;
};

/// In the segment of a rank that exposes memory, behind the list of what that is. All zeros at
/// first.
///
/// Invariant: `asked` is by whoever holds the lock alone; `done` by the owner's thread alone, which
/// reads and writes the rest between the two. Each is a release, and read with acquire.
struct ErrandBox {
  enum State : std::uint32_t { idle, asked, done };
  static constexpr std::size_t room = std::size_t{32} * 1024;

  space::LockWord lock;  // of who asks
  std::atomic<std::uint32_t> state;
  std::atomic<std::uint32_t> is_asleep;  // the owner's thread, or about to
  Errand errand;
  alignas(64) std::array<std::byte, room> bytes;
};

/// All that a rank has of its exposed memory in its segment.
struct ExposedMemory {
  space::Exposures list;
  ErrandBox box;

  /// The exposed memory of a rank of this node, which must expose some.
  static ExposedMemory& of(const space::Mapping& mapping, Rank rank) {
    return *reinterpret_cast<ExposedMemory*>(
        mapping.head(rank).exposures.load(std::memory_order_acquire));
  }
};

/// The thread of a rank that runs the errands of others, until it is gone.
class ErrandThread {
 public:
  /// Throws Error(start) where there is no thread to be had.
  ErrandThread(const space::Mapping& mapping, Rank rank);
  ErrandThread(const ErrandThread&) = delete;
  ErrandThread& operator=(const ErrandThread&) = delete;
  ~ErrandThread();

 private:
  void serve();
  void run(Errand& errand) const;
  void sleep(std::uint32_t state);

  const space::Mapping& mapping_;
  Rank rank_;
  ErrandBox& box_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace armature::rma
