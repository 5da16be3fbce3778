#pragma once

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include <cstdint>

#include "base/job_mutex.hpp"

namespace armature::space {

/// The right to use the heap, which one thread has at a time. Where the process has one thread and
/// no other node brings anything, nobody else can use the heap. Then nothing is locked, as in
/// malloc. A thread cannot begin inside such a section: only the thread that holds it could create
/// one.
class HeapLock {
 public:
  /// Takes the heap. If another thread has it, `wait` gets it or returns false. `nodes` is the
  /// number of nodes of the job.
  template <class Wait>
  HeapLock(base::JobMutex& mutex, std::uint32_t nodes, Wait&& wait) : mutex_(mutex) {
    if (is_alone(nodes)) [[likely]] {
      holds_ = true;
      return;
    }
    locks_ = true;
    holds_ = mutex_.try_lock() || wait();
  }
  HeapLock(const HeapLock&) = delete;
  HeapLock& operator=(const HeapLock&) = delete;
  ~HeapLock() {
    if (locks_ && holds_) mutex_.unlock();
  }
  [[nodiscard]] bool holds() const { return holds_; }

 private:
  static bool is_alone([[maybe_unused]] std::uint32_t nodes) {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded != 0 && nodes == 1;
#else
    return false;
#endif
  }
  base::JobMutex& mutex_;
  bool locks_ = false, holds_ = false;
};

}  // namespace armature::space
