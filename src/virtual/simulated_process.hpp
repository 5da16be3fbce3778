#pragma once

#include "virtual/rank_scheduler.hpp"
#include "virtual/simulator.hpp"

namespace armature::simulation {

/// One of several processes of virtual ranks, all of which a simulation runs on one thread. What it
/// does is the scheduler's own code, down to the words of the control block; only where a process
/// would sleep, and between two steps that others may see apart, another process has its turn. A
/// bell that is missed stays missed: nobody looks again after some time, as real processes do.
class SimulatedProcess final : public fibers::RankScheduler {
 public:
  SimulatedProcess(Simulator& simulator, const space::Mapping& mapping, int process, int band_file);

  /// Its ranks to their end; on the stack that the simulator has for it.
  void live();

  void yield(bool got_on) override;
  bool wait(bool got_on, bool rings) override;

 private:
  void doze(Until until, long timeout_ns) override;
  /// Others may have their turns.
  void step(bool got_on);
  static void let_others_act();

  Simulator& simulator_;
};

}  // namespace armature::simulation
