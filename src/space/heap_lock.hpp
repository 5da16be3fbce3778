#pragma once

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include <cstdint>

#include "base/job_mutex.hpp"

namespace armature::space {

/// Who uses the heap, one at a time. Nobody else can where the process has one thread and no other
/// node brings anything: then there is nothing to lock, as in malloc. A thread begins outside of
/// such a section: its creator is the only other one.
class HeapLock {
 public:
  /// Where somebody has it, `wait` gets it or returns false. `nodes`: of the job.
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
