#include "turn.hpp"

#include <armature/layer/threads.hpp>

#include "membership.hpp"

namespace armci {

void let_threads_call() {
  if (membership->takes_turns.load(std::memory_order_relaxed)) return;
  armature::layer::let_threads_call_beside_waits();
  membership->takes_turns.store(true, std::memory_order_release);
}

// Acquire: what lets threads call has been done.
bool threads_call() { return membership->takes_turns.load(std::memory_order_acquire); }

Turn::Turn() : is_held_(threads_call()) {
  if (is_held_) membership->turn.lock();
}

Turn::~Turn() {
  if (is_held_) membership->turn.unlock();
}

}  // namespace armci
