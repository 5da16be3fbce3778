#pragma once

#include <atomic>

#include "space/control.hpp"

// Waking a sleeping rank. The one who makes a condition true must not pay for a sleeper that is not
// there: it looks at one word, no fence, no system call. That is safe because the sleeper pays
// instead: it says that it is about to sleep, makes every running process pass a barrier
// (membarrier), looks at its condition once more, and only then sleeps. Either the other's store
// came before that barrier and the sleeper sees it, or its look at the word comes after and it
// rings. Where the kernel has no membarrier, sleepers wake up by themselves every millisecond.

namespace armature::progress {

namespace detail {
void wake(space::RankSlot& slot);
}

/// Call after the store that makes the condition true.
inline void ring(space::RankSlot& slot) {
  std::atomic_signal_fence(
      std::memory_order_seq_cst);  // the compiler must keep the order: store, then look
  if (slot.asleep.load(std::memory_order_relaxed) != 0) [[unlikely]]
    detail::wake(slot);
}

/// Sleeps until the bell rings, the condition holds, or the time is over.
/// Returns false when bells do not work here (the caller then keeps the time short).
bool bells_work();
void sleep(space::RankSlot& slot, bool (*ready)(void*), void* condition, long timeout_ns);

void prepare_bells();

}  // namespace armature::progress
