#pragma once

#include <atomic>

#include "space/control.hpp"

// Waking a sleeping rank. The one who makes a condition true must not pay for a sleeper that is not
// there: it looks at one word, no fence, no system call. That is safe because the sleeper pays
// instead. It says that it is about to sleep, makes every running process pass a barrier
// (membarrier), looks at its condition once more, and only then sleeps. Either the other's store
// came before that barrier and the sleeper sees it, or its look at the word comes after and it
// notifies. Where the kernel has no membarrier, sleepers wake up by themselves every millisecond.

// A virtual rank does not sleep: its process puts it aside, and does so when all its ranks wait.
// The one that notifies a rank puts it into its process's list of ranks to run, without looking at
// any other, and wakes the process should that sleep.

namespace armature::wait {

namespace detail {
void wake(space::RankSlot& slot);
}

/// Call after the store that makes the condition true.
inline void notify(space::RankSlot& slot) {
  std::atomic_signal_fence(
      std::memory_order_seq_cst);  // the compiler must keep the order: store, then look
  if (slot.asleep.load(std::memory_order_relaxed) != 0) [[unlikely]]
    detail::wake(slot);
}

/// Call after a store, by somebody who need not notify, into memory in which the rank may wait for
/// a value, or a layer for a condition of its own: it had better not sleep on until it looks by
/// itself. A rank that waits for something else is left alone.
inline void notify_of_value(space::RankSlot& slot) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (slot.asleep.load(std::memory_order_relaxed) == 0) [[likely]]
    return;
  const space::Awaiting awaiting = slot.wait.awaiting.load(std::memory_order_relaxed);
  if (awaiting == space::Awaiting::value || awaiting == space::Awaiting::condition)
    detail::wake(slot);
}

/// False when notifiers do not work here: a sleeper then keeps its time short.
bool notifiers_work();
/// Makes every running thread pass a barrier. One that looks at a word afterwards, having made a
/// condition true, sees what this thread has written before; or this thread sees the condition.
void barrier_of_sleepers();
/// A sleeper that must be notified passes the barrier above. One that looks by itself soon does
/// not: it may miss a notification, hardly ever, and disturbs nobody who computes.
enum class Notified { surely, hardly_missed };
/// Sleeps until the rank is notified, the condition holds, or the time is over.
void sleep(space::RankSlot& slot, bool (*ready)(void*), void* condition, Notified how,
           long timeout_ns);

/// Call after the store by which a word has come to what virtual ranks wait for together
/// (WaitFor::word): their processes look at it.
void notify_gathered();

/// Puts a rank that was woken, or that moves there, into that process's list of ranks to run, from
/// any process of the job.
void wake(int process, int rank);
/// A virtual rank has left the job; with the last one, processes end.
void rank_has_finished(space::ControlHeader& job);
/// Has that process look once more whether there is something to do, should it sleep or be about
/// to.
void wake(space::ProcessSlot& slot);
/// How often that process was woken, or told of words; before it looks whether there is something
/// to do.
inline std::uint32_t times_woken(const space::ProcessSlot& slot) {
  return slot.notifications.load(std::memory_order_acquire);
}
/// Sleeps until that list is not empty, it is woken again, or the time is over. By that process
/// alone.
void sleep(space::ProcessSlot& slot, std::uint32_t times, long timeout_ns);

/// Called before the first notification of a job in this process.
void prepare_notifiers(const space::ControlHeader& job);

}  // namespace armature::wait
