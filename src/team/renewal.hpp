#pragma once

#include "wait/rank_context.hpp"

// A team has a block on each node where it has members, in the segment of one of them. So before
// ranks go to other nodes all let go of these, and make new ones where they are then. On a node a
// rank takes them along, but for what its process keeps.

namespace armature::team {

/// Lets go of the blocks of all teams of the calling rank, of which none is in a round.
void let_go(const wait::RankContext& me);
/// By all ranks of the job, whose members find each other again. Throws Error(out_of_memory).
void meet_again(wait::RankContext& me);

/// The rank, which does not run, goes to another process of its node.
void leave_process(const wait::RankContext& rank);

}  // namespace armature::team
