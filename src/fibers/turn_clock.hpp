#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "fibers/rank_fiber.hpp"

namespace armature::fibers {

/// The time of a process, as exact as is cheap, and what each rank takes of it where that is
/// measured.
class TurnClock {
 public:
  TurnClock();

  [[nodiscard]] std::uint64_t now_ns() const { return now_ns_; }
  std::uint64_t look() { return now_ns_ = base::now_ns(); }
  /// Whether turns and moves are traced (armature run --trace).
  [[nodiscard]] bool traces() const { return traces_; }

  /// Begins to add up the time that each rank here computes, wherever it goes.
  void measure();
  [[nodiscard]] bool measures() const { return measures_; }
  /// A turn ends; nullptr: that of no rank. Where time is measured.
  void end_turn(RankFiber* fiber);

 private:
  void trace_turn(RankFiber& me, std::uint64_t began_ns);

  const bool traces_;
  bool measures_ = false;
  std::uint64_t now_ns_;
  std::uint64_t turn_began_ns_ = 0;
  std::uint64_t events_before_ = 0;  // that this process had written when the turn began
};

}  // namespace armature::fibers
