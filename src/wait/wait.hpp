#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "space/control.hpp"

// The one place where a rank blocks. A call that must wait says for what and on whom, and gives a
// condition that it will find true one day; everything else is here: spinning while the answer is
// likely to come within a cache miss, yielding the core to ranks that share it, sleeping when it
// takes long, delivering messages meanwhile, noticing that whom we wait for has died, and telling
// `armature inspect` about it.

namespace armature::wait {

struct RankContext;

struct WaitFor {
  space::Awaiting what = space::Awaiting::nothing;
  int peer = -1;                               // whom; may be updated by the condition
  std::span<const std::int32_t> members = {};  // or all of these
  // Of these, whether members[i] has still to do its part; all have, unless said. A member that did
  // its part and then died is no reason to give up: so all survivors come to the same answer.
  bool (*awaits)(const WaitFor& wait, std::size_t i) = nullptr;
  std::uint32_t team = 0;
  const void* object = nullptr;
  std::uint64_t detail = 0;
  bool rings =
      true;  // whoever makes the condition true rings our bell; else we must look now and then
  const char* call = "wait";  // for messages
};

namespace detail {
using Ready = bool (*)(void* condition);
void wait_long(WaitFor& wait, Ready ready, void* condition);
}  // namespace detail

/// How often a condition is looked at before anything else is tried. About the time of a few cache
/// misses; fewer when ranks share cores, where the other one needs this core to make it true.
int spins();
/// Whether this machine has more of the job's ranks than cores; of virtual ones, more processes.
bool cores_are_shared();
/// How many threads of this machine run the job's ranks and its network.
int threads_of_job();

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

/// For calls that only look (poll, test): where other ranks run on this thread, they have their
/// turn.
void let_others_run();

/// Prepares this process for waiting: how to spin, whether bells work here.
void start_waiting(const space::ControlHeader& job);

}  // namespace armature::wait
