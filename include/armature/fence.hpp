#pragma once

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

namespace armature {

/// Remote completion (armci-1999, 2.3; armci-rma-2006, 4.1): returns when all this rank's puts and
/// accumulates to `rank`, blocking or not, have taken effect there and can be seen by everyone. A
/// transfer of an Aggregate counts from when it leaves: with wait, test, or a full list.
/// Throws Error(bad_rank).
ARMATURE_API void fence(Rank rank);
/// Returns when that holds for all ranks, as fence(rank) does for one.
ARMATURE_API void fence_all();

}  // namespace armature
