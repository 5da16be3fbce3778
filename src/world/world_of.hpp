#pragma once

#include "armature/world.hpp"
#include "wait/context_slot.hpp"
#include "wait/rank_context.hpp"

namespace armature::hosting {

inline constexpr wait::ContextSlot<World> world_slot{5};
/// The world that the rank's body was given.
inline World& world_of(const wait::RankContext& rank) { return *world_slot.in(rank.slots); }

}  // namespace armature::hosting
