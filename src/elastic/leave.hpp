#pragma once

#include "quiesce/phase_barrier.hpp"
#include "space/mapping.hpp"

namespace armature::elastic {

/// On several nodes, when all ranks have gone where they are to go: the processes that leave with
/// this quiescence are of the job no more (ProcessSlot::leaves), unless something has gone wrong.
/// No process is started for that, and the others go on as they are. Returns when all others know
/// that this process may end, if it is one of them. Throws quiesce::GivenUp.
void part_with_those_who_leave(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier);
/// By one of them, when ranks go on: it expects nobody any more, and nobody expects it.
void leave_in_order(const space::Mapping& mapping, int process);

}  // namespace armature::elastic
