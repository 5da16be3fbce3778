#pragma once

#include <atomic>
#include <cstdint>

#include "base/futex.hpp"

namespace armature::base {

/// A mutex for threads of all processes that have its memory in common, at whatever address. For
/// short sections: who finds it locked sleeps. A process that is killed in such a section leaves it
/// locked: so who waits is asked now and then whether to give up.
class JobMutex {
 public:
  /// False: it is locked, and gives_up().
  template <class GivesUp>
  [[nodiscard]] bool lock(GivesUp&& gives_up) {
    std::uint32_t state = free;
    if (state_.compare_exchange_strong(state, locked, std::memory_order_acquire)) [[likely]]
      return true;
    while (state_.exchange(awaited, std::memory_order_acquire) != free) {
      if (gives_up()) return false;
      futex_wait(state_, awaited, look_again_ns);
    }
    return true;
  }
  void unlock() {
    if (state_.exchange(free, std::memory_order_release) == awaited) futex_wake(state_);
  }

 private:
  static constexpr std::uint32_t free = 0, locked = 1, awaited = 2;
  static constexpr long look_again_ns = 20'000'000;
  std::atomic<std::uint32_t> state_{free};
};

}  // namespace armature::base
