#pragma once

#include <functional>

#include "base/random.hpp"
#include "fibers/rank_scheduler.hpp"

namespace armature::simulation {

/// The other processes of a simulation, as one of them sees them.
struct Others {
  /// Gives the others their turns. `made_progress`: whether this one has made progress since its
  /// last.
  std::function<void(bool made_progress)> act;
  /// Random numbers by which it decides, while it is this one's turn.
  std::function<base::Random&()> random;
};

/// One of several processes of virtual ranks in a simulation: on a stack that a Simulator has for
/// it, or a process of its own. It runs the scheduler's own code, down to the words of the control
/// block. Only where a process would sleep, and between two steps that others may see apart,
/// another process has its turn. A notification that is missed stays missed: nobody looks again
/// after some time, as real processes do.
class SimulatedProcess final : public fibers::RankScheduler {
 public:
  SimulatedProcess(Others others, const space::Mapping& mapping, int process, int segment_file,
                   fibers::QuiesceBody& body);

  void run() override;
  void yield(bool made_progress) override;
  wait::Turn wait(bool made_progress, const wait::WaitFor& wait) override;

 private:
  void park(Until until, std::uint32_t times, long timeout_ns) override;
  void step(bool made_progress);
  static void let_others_act();

  Others others_;
};

}  // namespace armature::simulation
