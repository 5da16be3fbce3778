#pragma once

#include <cstdint>
#include <type_traits>

#include "space/control.hpp"
#include "wait/oversubscription.hpp"
#include "wait/wait_for.hpp"

// The one place where a rank blocks. A call that must wait says for what and on whom, and gives a
// condition that it will find true one day. Everything else is here. It spins while the answer is
// likely to come within a cache miss, yields the core to ranks that share it, and sleeps when it
// takes long. Meanwhile it delivers messages, notices that whom we wait for has died, and tells
// `armature inspect` about it.

namespace armature::wait {

struct RankContext;

namespace detail {
using Ready = bool (*)(void* condition);
void wait_long(WaitFor& wait, Ready ready, void* condition);
/// Waits without letting modules of the rank run.
void wait_for_rank(WaitFor& wait, Ready ready, void* condition);
}  // namespace detail

/// Returns once condition() is true. Throws Error(rank_lost) when the job goes on after deaths and
/// a rank that is waited for has died.
template <class Condition>
inline void wait_until(WaitFor& wait, Condition&& condition) {
  for (int i = spins(); i > 0; --i)
    if (condition()) return;
  detail::wait_long(
      wait,
      [](void* c) -> bool { return (*static_cast<std::remove_reference_t<Condition>*>(c))(); },
      &condition);
}

/// Has the rank that is waited for do what the calling rank waits for, at once, where both have
/// their turns on this thread. False: nothing has happened.
bool hand_over(RankContext& me, const WaitFor& wait);

/// A rank that waits and does something for others meanwhile does not wait: its record says so
/// until the end of this. By the rank's own thread.
class WaitInterrupted {
 public:
  explicit WaitInterrupted(const RankContext& me);
  WaitInterrupted(const WaitInterrupted&) = delete;
  WaitInterrupted& operator=(const WaitInterrupted&) = delete;
  ~WaitInterrupted();

 private:
  space::WaitRecord& record_;
  space::Awaiting awaiting_;
  std::uint64_t since_ns_;
};

/// Lets other ranks have their turn, in calls that only look and have not found: those of this
/// thread, and those that share this core. A rank may make such calls in a loop for what one of
/// them does.
void let_others_have_turn();
/// Polls the network besides.
void let_others_run();

/// Prepares this process for waiting: how to spin, whether notifiers work here.
void start_waiting(const space::ControlHeader& job);

}  // namespace armature::wait
