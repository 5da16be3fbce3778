#pragma once

#include <cstddef>

#include "wait/rank_context.hpp"

namespace armature::fibers {

/// The number of its wait::ContextSlot.
inline constexpr std::size_t rank_locals_slot = 4;

/// The value that a rank, which does not run, has of such a variable; nullptr: none. The rank is of
/// this node.
const void* rank_local_of(const wait::RankContext& rank, const void* variable);

/// Ends the values that this rank, the calling one, has of armature::rank_local variables.
void end_rank_locals(wait::RankContext& me) noexcept;

}  // namespace armature::fibers
