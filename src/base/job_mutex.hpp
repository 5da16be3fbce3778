#pragma once

#include <atomic>
#include <cstdint>

#include "base/futex.hpp"

namespace armature::base {

/// A mutex for threads of all processes that have its memory in common, at whatever address. For
/// short sections: who finds it locked sleeps.
class JobMutex {
 public:
  void lock() {
    std::uint32_t state = free;
    if (state_.compare_exchange_strong(state, locked, std::memory_order_acquire)) [[likely]]
      return;
    while (state_.exchange(awaited, std::memory_order_acquire) != free)
      futex_wait(state_, awaited, look_again_ns);
  }
  void unlock() {
    if (state_.exchange(free, std::memory_order_release) == awaited) futex_wake(state_);
  }

 private:
  static constexpr std::uint32_t free = 0, locked = 1, awaited = 2;
  static constexpr long look_again_ns = 100'000'000;
  std::atomic<std::uint32_t> state_{free};
};

}  // namespace armature::base
