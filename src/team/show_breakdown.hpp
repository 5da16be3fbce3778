#pragma once

#include <optional>

#include "team/breakdown.hpp"

namespace armature::detail {
class TeamState;
}

namespace armature::team {

/// Shows all members, on all nodes, and notifies them.
void show_breakdown(detail::TeamState& team, const Breakdown& breakdown);

/// As far as known here.
[[nodiscard]] std::optional<Breakdown> breakdown_of(const detail::TeamState& team);

}  // namespace armature::team
