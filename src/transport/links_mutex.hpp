#pragma once

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <optional>

#include "base/process_memory.hpp"

namespace armature::transport {

/// The mutex under which all links of a process are used. A thread that holds it allocates for the
/// process: packets, tables, and what the engine keeps.
///
/// A thread may lock it again. Invariant: owner_ is a thread's own number only while that thread
/// holds mutex_, since each stores its own and clears it before it unlocks. A thread always sees
/// what it stored itself, so relaxed order is enough. A std::recursive_mutex takes twice as long.
class LinksMutex {
 public:
  void lock() {
    if (!is_mine()) {
      mutex_.lock();
      enter();
    }
    ++depth_;
  }
  bool try_lock() {
    if (!is_mine()) {
      if (!mutex_.try_lock()) return false;
      enter();
    }
    ++depth_;
    return true;
  }
  void unlock() {
    if (--depth_ > 0) return;
    memory_.reset();
    owner_.store(0, std::memory_order_relaxed);
    mutex_.unlock();
  }

 private:
  [[nodiscard]] bool is_mine() const {
    return owner_.load(std::memory_order_relaxed) == pthread_self();
  }
  void enter() {
    owner_.store(pthread_self(), std::memory_order_relaxed);
    memory_.emplace();
  }

  std::mutex mutex_;
  std::atomic<pthread_t> owner_ = 0;  // 0: none
  int depth_ = 0;
  std::optional<base::ProcessMemory> memory_;
};

}  // namespace armature::transport
