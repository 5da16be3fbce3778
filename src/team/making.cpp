#include "team/making.hpp"

#include <fmt/format.h>

#include "base/fail.hpp"
#include "team/team_state.hpp"

namespace armature::team {

using detail::TeamState;

Making::Making(wait::RankContext& me, std::span<const Rank> members, std::uint64_t call)
    : me_(me), call_(call) {
  if (goes_on(me.space)) makers_.assign(members.begin(), members.end());
}

// On a node the rounds of the team that is split are complete for all members or for none, and so
// is the making of each new team, since nobody leaves it out who has seen its block.
Making::Making(wait::RankContext& me, TeamState& split) : me_(me), split_(&split) {
  const auto members = split.members();
  if (goes_on(me.space) && split.proxy().is_far()) makers_.assign(members.begin(), members.end());
}

void Making::require_all_alive() const {
  if (const int dead = first_dead(); dead >= 0)
    base::fail(Errc::rank_lost, fmt::format("Team::create: rank {} has died", dead));
}

/// A member that has its team continues with other calls of the team that was split, in which the
/// dead rank may have done its part. It must not wait there for this rank.
void Making::give_up() {
  if (makers_.empty() || split_ == nullptr || split_->has_given_up()) return;
  split_->give_up();
}

}  // namespace armature::team
