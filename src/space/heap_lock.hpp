#pragma once

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include "space/address_space.hpp"

namespace armature::space {

/// Who uses the heap, one at a time. Nobody else can where the process has one thread and no other
/// node brings anything: then there is nothing to lock, as in malloc, of whose time that would be
/// twice as much. A thread begins outside of such a section: its creator is the only other one.
class AddressSpace::HeapLock {
 public:
  HeapLock(AddressSpace& space, By by) : mutex_(space.heap_mutex_) {
    if (is_alone(space)) {
      holds_ = true;
      return;
    }
    const auto gives_up = [&space] { return space.goes_back(); };
    locks_ = true;
    // A rank does not return from there when its process goes back.
    while (!(holds_ = mutex_.lock(gives_up)) && by == By::rank) wait_for_end();
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
  static void wait_for_end();

  base::JobMutex& mutex_;
  bool locks_ = false, holds_ = false;
};

}  // namespace armature::space
