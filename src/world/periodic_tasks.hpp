#pragma once

#include "armature/world.hpp"
#include "space/mapping.hpp"

namespace armature::hosting {

/// A task that is done every so often, where the program asks whether it is due (when_due).
enum class PeriodicTask { checkpoint, copy, rebalance };

/// Collective: which of these are, by rank 0's clock, or because a checkpoint was asked for. Where
/// one is, nobody else finds so until the interval is over once more. On all ranks, Error(start)
/// when the variable with the interval is no time, which jobs of virtual ranks find out before. May
/// return in other processes (restart.hpp).
struct Due {
  bool checkpoint = false;  // to disk
  bool copy = false;        // a checkpoint in memory
};
[[nodiscard]] Due due_checkpoints(const World& world, const char* call);
[[nodiscard]] bool is_rebalance_due(const World& world, const char* call);
/// Throws Error(start) when a variable with an interval is no time.
void require_intervals();
/// Notes that ranks were rebalanced now, whoever has asked for it. Called by all ranks, where they
/// are then.
void note_rebalance(space::ControlHeader& job);

/// SIGUSR2 to the process with rank 0 asks for a checkpoint, where no launcher of ours takes it. To
/// the others it says nothing, as launchers pass it on to all. Programs that have a handler of
/// their own keep it, and those that were told of no directory.
void take_requests_by_signal(const space::Mapping& mapping, int process);

/// Says, at the end and by rank 0, that an interval was set and the program has never asked.
void say_what_was_never_asked_for(const space::ControlHeader& job);

}  // namespace armature::hosting
