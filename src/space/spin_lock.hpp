#pragma once

#include <sched.h>

#include <atomic>

namespace armature::space {

/// For a few instructions at a time, between threads of any processes: all zeros is a free one.
class SpinLock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace armature::space
