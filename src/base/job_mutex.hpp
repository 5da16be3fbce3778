#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "base/futex.hpp"

namespace armature::base {

/// A mutex for threads of all processes that have its memory in common, at whatever address. For
/// short sections that hardly ever meet: to leave one is a plain store, which tells nobody. So a
/// thread that finds it locked looks again, at first after others have run, later after it has
/// slept a little. A process that is killed in such a section leaves it locked: who waits is asked
/// now and then whether to give up.
class JobMutex {
 public:
  /// False: it is locked, and gives_up().
  template <class GivesUp>
  [[nodiscard]] bool lock(GivesUp&& gives_up) {
    for (unsigned looks = 0; !try_lock(); ++looks) {
      if (looks < looks_before_sleep) {
        sched_yield();
      } else {
        if (gives_up()) return false;
        futex_wait(state_, locked, sleep_ns);
      }
    }
    return true;
  }
  [[nodiscard]] bool try_lock() {
    std::uint32_t state = free;
    return state_.compare_exchange_strong(state, locked, std::memory_order_acquire);
  }
  void unlock() { state_.store(free, std::memory_order_release); }

 private:
  static constexpr std::uint32_t free = 0, locked = 1;
  static constexpr unsigned looks_before_sleep = 100;
  static constexpr long sleep_ns = 100'000;
  std::atomic<std::uint32_t> state_{free};
};

}  // namespace armature::base
