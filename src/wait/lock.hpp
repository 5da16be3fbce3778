#pragma once

#include <atomic>
#include <cstdint>

#include "space/segment_head.hpp"
#include "wait/wait.hpp"

// A lock in shared memory that knows its holder, so that a waiter can tell whom it waits for and
// that the holder has died. Free is 0; held is the holder's token: its rank + 1 and, above that, a
// number for a thread that the program has started beside the rank's own. So threads of a rank
// exclude each other, too. One atomic exchange takes it, a plain store releases it. Waiters that
// have spun for long sleep a little and look again: a notification would make every release pay for
// it.

namespace armature::wait {

using space::LockWord;

/// The token of the rank's own thread.
inline std::uint64_t lock_token(int rank) { return static_cast<std::uint64_t>(rank) + 1; }
/// The token of the calling thread, which counts as that rank.
std::uint64_t lock_token_of_thread(int rank);
/// The rank; -1 where the word is free.
inline int lock_holder(std::uint64_t word) {
  return static_cast<int>(static_cast<std::uint32_t>(word) - 1);
}

inline bool try_lock_by(LockWord& word, std::uint64_t token) {
  std::uint64_t free = 0;
  // Acquire: what the last holder did is seen.
  return word.compare_exchange_strong(free, token, std::memory_order_acquire,
                                      std::memory_order_relaxed);
}
inline bool try_lock(LockWord& word, int me) { return try_lock_by(word, lock_token(me)); }

void lock_contended(LockWord& word, std::uint64_t token, WaitFor& wait);

/// Release: what this holder did is seen by the next.
inline void unlock(LockWord& word) { word.store(0, std::memory_order_release); }

/// Unlocks for a rank that has died. Several may find that out at once, and another may hold the
/// lock by then.
inline void unlock_of_dead(LockWord& word, int holder) {
  std::uint64_t token = word.load(std::memory_order_relaxed);
  if (lock_holder(token) == holder)
    word.compare_exchange_strong(token, 0, std::memory_order_acq_rel, std::memory_order_relaxed);
}

}  // namespace armature::wait
