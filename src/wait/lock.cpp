#include "wait/lock.hpp"

#include <algorithm>

#include "wait/rank_context.hpp"

namespace armature::wait {

namespace {

void pause_longer() {
#if defined(__x86_64__)
  // About a tenth of a microsecond.
  for (int i = 0; i < 8; ++i) __builtin_ia32_pause();
#endif
}

}  // namespace

std::uint64_t lock_token_of_thread(int rank) {
  if (runs_rank()) return lock_token(rank);
  return std::uint64_t{number_of_thread()} << 32 | lock_token(rank);
}

void lock_contended(LockWord& word, std::uint64_t token, WaitFor& wait) {
  // Reading first keeps the line shared while somebody holds it.
  const auto try_if_free = [&](std::uint64_t seen) {
    return seen == 0 && try_lock_by(word, token);
  };
  // Looking at the line takes it from the holder, who needs it to release the lock and to take it
  // again. Looking seldom lets the holder work from its own cache: twice the locks in the same
  // time.
  for (int looks = std::min(spins(), 64); looks > 0; --looks) {
    pause_longer();
    if (try_if_free(word.load(std::memory_order_relaxed))) return;
  }
  wait.is_notified = false;
  wait.object = &word;
  wait_until(wait, [&] {
    const std::uint64_t seen = word.load(std::memory_order_relaxed);
    if (seen != 0) wait.peer = lock_holder(seen);
    // Another thread of this rank: that is no cycle of ranks that wait for each other.
    if (wait.peer == lock_holder(token)) wait.peer = -1;
    return try_if_free(seen);
  });
}

}  // namespace armature::wait
