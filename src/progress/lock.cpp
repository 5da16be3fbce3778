#include "progress/lock.hpp"

namespace armature::progress {

void lock_contended(LockWord& word, int me, WaitFor& wait) {
  wait.rings = false;
  wait.object = &word;
  wait_until(wait, [&] {
    // Reading first keeps the line shared while somebody holds it.
    const std::uint64_t seen = word.load(std::memory_order_relaxed);
    if (seen == 0) return try_lock(word, me);
    wait.peer = lock_holder(seen);
    return false;
  });
}

}  // namespace armature::progress
