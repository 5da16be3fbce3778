#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

// Sleeping until a word changes, which std::atomic::wait cannot do with a limit, nor between
// processes. Why a wait ended nobody asks: who waited looks again.

namespace armature::base {

/// Tells who may wait for a word.
enum class FutexReach : int {
  job = 0,  // processes that have the word's memory in common
  process = FUTEX_PRIVATE_FLAG,
};

/// Unless the word is not `seen` any more: until it is woken, or so much time has passed.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, long timeout_ns,
                       FutexReach reach = FutexReach::job) {
  const timespec timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT | static_cast<int>(reach), seen, &timeout, nullptr, 0);
}

/// Wakes all that wait for it; the word has been changed before.
inline void futex_wake(std::atomic<std::uint32_t>& word, FutexReach reach = FutexReach::job) {
  syscall(SYS_futex, &word, FUTEX_WAKE | static_cast<int>(reach), INT_MAX, nullptr, nullptr, 0);
}

}  // namespace armature::base
