#pragma once

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include "space/address_space.hpp"

namespace armature::space {

/// Who uses the heap, one at a time. Nobody else can where the process has one thread and no other
/// node brings anything: then there is nothing to lock, as in malloc. A thread begins outside of
/// such a section: its creator is the only other one.
class AddressSpace::HeapLock {
 public:
  HeapLock(AddressSpace& space, By by) : mutex_(space.heap_mutex_) {
    if (is_alone(space)) [[likely]] {
      holds_ = true;
      return;
    }
    locks_ = true;
    holds_ = mutex_.try_lock() || wait(space, by);
  }
  HeapLock(const HeapLock&) = delete;
  HeapLock& operator=(const HeapLock&) = delete;
  ~HeapLock() {
    if (locks_ && holds_) mutex_.unlock();
  }
  [[nodiscard]] bool holds() const { return holds_; }

 private:
  static bool is_alone([[maybe_unused]] const AddressSpace& space) {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded != 0 && space.header().nodes == 1;
#else
    return false;
#endif
  }
  static bool wait(AddressSpace& space, By by);

  base::JobMutex& mutex_;
  bool locks_ = false, holds_ = false;
};

}  // namespace armature::space
