#pragma once

#include <cstdint>

#include "fibers/process_ranks.hpp"
#include "wait/handoff.hpp"

namespace armature::fibers {

/// The turns that ranks of a process hand over to each other.
///
/// Invariant: a rank that has handed its turn over is in no queue. The rank that has that turn
/// runs, or has handed it on. Whoever has it, and waits or yields, makes all ready that have handed
/// it on. So no such turn is under way while the process itself has its turn, as it quiesces or is
/// idle.
class TurnHandoff final : public wait::Handoff {
 public:
  explicit TurnHandoff(ProcessRanks& ranks) : ranks_(ranks) {}

  [[nodiscard]] int giver() const override { return ranks_.stacks.running().waiting.giver; }

  /// Called before the rank waits or yields: those whose turn it has are ready.
  void end(RankFiber& me) {
    if (me.waiting.giver >= 0) [[unlikely]]
      release_givers(me);
  }
  /// Says why that rank has its turn, behind a wait.
  [[nodiscard]] static wait::Turn turn_of(RankFiber& me);

 private:
  wait::Turn pass(int rank, Pass how) override;
  [[nodiscard]] bool take(RankFiber& other, const RankFiber& me);
  void give_back(RankFiber& me, bool waits_on);
  [[nodiscard]] bool may_take(const RankFiber& other);
  void release_givers(RankFiber& me);

  ProcessRanks& ranks_;
  std::uint32_t count_ = 0;
};

}  // namespace armature::fibers
