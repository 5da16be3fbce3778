#pragma once

#include "fibers/gatherings.hpp"
#include "fibers/host_process.hpp"
#include "fibers/resident_ranks.hpp"
#include "fibers/run_queue.hpp"
#include "fibers/sleeping_ranks.hpp"
#include "fibers/stacks.hpp"
#include "fibers/turn_clock.hpp"
#include "wait/scheduler.hpp"

namespace armature::fibers {

/// A process and its virtual ranks: what the parts of its scheduler have in common. Used by its
/// thread.
struct ProcessRanks {
  ProcessRanks(const space::Mapping& mapping, int process, int segment_file,
               wait::Scheduler& its_scheduler)
      : host(mapping, process, segment_file),
        residents(mapping),
        queue(host),
        stacks(mapping),
        scheduler(its_scheduler) {
    measure_if_wanted();
  }

  /// Gives the rank its turns here from now on.
  void host_rank(RankFiber& fiber) {
    residents.add(fiber);
    stacks.note(fiber);
    queue.push(fiber);
  }
  /// Makes those ready that have slept as long as they wanted to; whether there are any.
  bool wake_sleepers() {
    if (sleeping.empty()) [[likely]]
      return false;
    const std::uint64_t now_ns = clock.look();
    bool some = false;
    for (RankFiber* one; (one = sleeping.take_due(now_ns)) != nullptr; some = true)
      queue.push(*one);
    return some;
  }
  void measure_if_wanted() {
    if (host.balances || clock.traces() || host.mapping.header().settings.measures != 0)
      clock.measure();
  }

  HostProcess host;
  ResidentRanks residents;
  Gatherings gatherings;
  RunQueue queue;
  SleepingRanks sleeping;
  TurnClock clock;
  Stacks stacks;
  int goes_to = -1;            // where the rank that was left last moves to; -1: it stays
  wait::Scheduler& scheduler;  // theirs
};

}  // namespace armature::fibers
