#pragma once

#include "quiesce/phase_barrier.hpp"
#include "space/mapping.hpp"

// A process comes to a job of several nodes while all others stay (ProcessSlot::comes).

namespace armature::elastic {

/// By each process of the job, between steps 3 and 5: connects to those of other nodes that come
/// with this quiescence. Throws Error(start), and quiesce::GivenUp.
void meet_those_who_come(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier);
/// By each process of the job, after step 6: those that come with this quiescence are of the job
/// from now on, on all nodes, unless something has gone wrong. Throws quiesce::GivenUp.
void admit_those_who_come(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier);
/// By a process that the job does not have yet: does its part of that, if it comes with this
/// quiescence, or waits for its end. Whether the job has it now. Ends the process where it cannot
/// come. Throws quiesce::GivenUp.
[[nodiscard]] bool come(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier,
                        int process);
/// By such a process, while others roll back: waits until they have, or count it in. False when it
/// is to end: as all others do, or since its node has no other process any more.
[[nodiscard]] bool look_on(const space::Mapping& mapping, int process);

}  // namespace armature::elastic
