#pragma once

#include "wait/rank_context.hpp"

namespace armature::fibers {

/// Ends the values that this rank, the calling one, has of armature::rank_local variables.
void end_rank_locals(wait::RankContext& me) noexcept;

}  // namespace armature::fibers
