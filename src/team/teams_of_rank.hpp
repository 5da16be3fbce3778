#pragma once

#include <cstdint>

#include "wait/context_slot.hpp"
#include "wait/rank_context.hpp"

namespace armature::detail {
class TeamState;
}

namespace armature::team {

/// The teams of one rank.
struct TeamsOfRank {
  detail::TeamState* first = nullptr;  // of those that it is in, but that of all
  std::uint64_t made = 0;              // as their first member; part of their ids
};

inline constexpr wait::ContextSlot<TeamsOfRank> teams_slot{2};
/// That rank's.
inline TeamsOfRank& teams_of(const wait::RankContext& rank) { return *teams_slot.in(rank.slots); }

}  // namespace armature::team
