#include "wait/biased_mutex.hpp"

#include <sched.h>

#include "wait/notifier.hpp"

namespace armature::wait {

BiasedMutex::BiasedMutex() : is_shared_(!notifiers_work()) {}

// Locks under mutex_: others that come meanwhile, and the owner, find the mutex taken.
void BiasedMutex::lock(bool is_owner) {
  mutex_.lock();
  if (is_owner || is_shared_.load(std::memory_order_relaxed)) return;
  is_shared_.store(true, std::memory_order_seq_cst);
  barrier_of_sleepers();
  while (is_held_.load(std::memory_order_acquire)) sched_yield();
}

}  // namespace armature::wait
