#include "fibers/turn_handoff.hpp"

#include <utility>

#include "fibers/switch_ranks.hpp"

namespace armature::fibers {
namespace {

using space::ParkState;
using State = RankFiber::State;
using wait::Turn;

// Others that are ready have their turns after so many calls, at most.
constexpr std::uint32_t handoffs_in_turn = 16;

}  // namespace

/// Says whether the rank is put aside in a wait, where it executes calls. Where turns are measured,
/// traced or have urgencies, each goes through the queue.
bool TurnHandoff::may_take(const RankFiber& other) {
  return other.state == State::waits &&
         other.slot->asleep.load(std::memory_order_relaxed) == ParkState::waits &&
         !ranks_.clock.measures() && !ranks_.queue.some_are_urgent() &&
         ++count_ % handoffs_in_turn != 0;
}

Turn TurnHandoff::turn_of(RankFiber& me) {
  if (me.waiting.giver >= 0) return Turn::serve;
  const bool is_long = me.waiting.is_long;
  me.waiting.is_long = false;
  return is_long ? Turn::look_around : Turn::look;
}

/// Says whether the other rank has taken the turn.
[[gnu::always_inline]] inline bool TurnHandoff::take(RankFiber& other, const RankFiber& me) {
  if (!may_take(other)) return false;
  other.waiting.giver = me.rank;
  other.waiting.was_gathered = other.waiting.gathering != nullptr;
  return true;
}

/// Puts the rank aside, or among those that are ready.
[[gnu::always_inline]] inline void TurnHandoff::give_back(RankFiber& me, bool waits_on) {
  // A notification of this rank while it ran has left it to the rank itself to look.
  const RankFiber::Waiting& waiting = me.waiting;
  const bool is_as_before = me.slot->asleep.load(std::memory_order_relaxed) == ParkState::waits &&
                            (waiting.is_sure || waiting.is_announced) &&
                            waiting.was_gathered == (waiting.gathering != nullptr);
  if (waits_on && is_as_before)
    me.state = State::waits;
  else
    ranks_.queue.push(me);
}

Turn TurnHandoff::pass(int rank, Pass how) {
  RankFiber& me = ranks_.stacks.running();
  if (how != Pass::over && (rank = std::exchange(me.waiting.giver, -1)) < 0) return Turn::look;
  if (how == Pass::over && !ranks_.host.hosts(rank)) return Turn::refused;
  RankFiber& other = ranks_.host.fiber(rank);
  if (how != Pass::over)
    give_back(me, how == Pass::back);
  else if (!take(other, me))
    return Turn::refused;
  ranks_.stacks.leave(me);
  ranks_.host.slot.running.store(other.rank, std::memory_order_relaxed);
  switch_to(ranks_, other);
  return turn_of(me);
}

void TurnHandoff::release_givers(RankFiber& me) {
  for (RankFiber* at = &me; at->waiting.giver >= 0;) {
    at = &ranks_.host.fiber(std::exchange(at->waiting.giver, -1));
    ranks_.queue.push(*at);
  }
}

}  // namespace armature::fibers
