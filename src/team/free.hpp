#pragma once

#include <memory>

#include "armature/piece.hpp"
#include "team/team_state.hpp"

namespace armature::team {

/// Collective. Where a member's table is none of this team's, or is freed already, all throw
/// Error(misuse), which names the call and says so.
void free_together(detail::TeamState& team,
                   const std::shared_ptr<const detail::AllocationTable>& table, const char* call,
                   const char* what_is_wrong);

}  // namespace armature::team
