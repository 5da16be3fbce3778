#include "fibers/turn_clock.hpp"

#include <algorithm>
#include <utility>

#include "wait/trace.hpp"

namespace armature::fibers {

TurnClock::TurnClock() : traces_(wait::traces()), now_ns_(base::now_ns()) {
  if (traces_) wait::trace_turns();
}

void TurnClock::measure() {
  if (!std::exchange(measures_, true)) turn_began_ns_ = base::now_ns();
}

/// Tells of a turn, unless the rank has only found in it that its wait is not over: that says
/// nothing, and most turns of some programs are so.
[[gnu::cold]] void TurnClock::trace_turn(RankFiber& me, std::uint64_t began_ns) {
  const std::uint32_t wait = me.slot->wait.sequence.load(std::memory_order_relaxed);
  const space::Awaiting what = me.slot->wait.waits_for();
  const bool has_told_nothing = wait::traced_events() == events_before_;
  if (what != space::Awaiting::nothing && wait == me.traced.looks.wait && has_told_nothing) {
    ++me.traced.looks.untold;
    return;
  }
  me.traced.looks.wait = wait;
  wait::trace({.kind = wait::TraceEvent::Kind::turn,
               .rank = me.rank,
               .what = static_cast<std::uint32_t>(what),
               .begin_ns = began_ns,
               .end_ns = now_ns_,
               .number = std::exchange(me.traced.looks.untold, 0)});
}

void TurnClock::end_turn(RankFiber* fiber) {
  const std::uint64_t began_ns = std::exchange(turn_began_ns_, look());
  const std::uint64_t took_ns = now_ns_ - began_ns;
  if (fiber == nullptr) {
    events_before_ = wait::traced_events();
    return;
  }
  RankFiber& me = *fiber;
  if (traces_) [[unlikely]]
    trace_turn(me, began_ns);
  events_before_ = wait::traced_events();
  me.slot->load.busy_ns.store(me.slot->load.busy_ns.load(std::memory_order_relaxed) + took_ns,
                              std::memory_order_relaxed);
  // Many turns are looks; what a rank costs is its long ones, the last of which tell the most.
  const bool is_look = took_ns < me.cost_ns / 32;
  me.cost_ns =
      is_look ? me.cost_ns - me.cost_ns / 8 : std::max(took_ns, (me.cost_ns + took_ns) / 2);
}

}  // namespace armature::fibers
