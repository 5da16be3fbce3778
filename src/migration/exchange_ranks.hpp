#pragma once

#include "migration/page_cache.hpp"
#include "quiesce/phase_barrier.hpp"
#include "space/mapping.hpp"

namespace armature::migration {

/// Moves ranks between nodes, while all are quiescent and nothing is on its way. They go to the
/// processes that their slots name, of whatever node, or stay where something has gone wrong
/// (QuiesceState::broken). All ranks have let go of what lies on a node rather than in their
/// segments. Returns when every rank is there: this process may run those that it hosts when all go
/// on. False where they have been written in order to go on in other processes: then this one ends.
/// Throws quiesce::GivenUp.
[[nodiscard]] bool exchange_ranks(const space::Mapping& mapping,
                                  const quiesce::PhaseBarrier& barrier, int process,
                                  int segment_file, PageCache& left);

}  // namespace armature::migration
