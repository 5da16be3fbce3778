#include "team/making.hpp"

#include <fmt/format.h>

#include "base/fail.hpp"
#include "team/team_state.hpp"

namespace armature::team {

using detail::TeamState;

namespace {

bool goes_on(const space::Mapping& job) { return job.header().on_death == space::OnDeath::go_on; }

bool is_dead(const space::Mapping& job, int rank) {
  return job.slot(rank).life.load(std::memory_order_acquire) == space::Life::dead;
}

std::uint64_t mixed(std::uint64_t h) {
  h *= 0xbf58476d1ce4e5b9;
  return h ^ (h >> 32);
}

}  // namespace

std::uint32_t roll_of_the_dead(const space::Mapping& job) {
  if (!goes_on(job)) return 0;
  std::uint64_t h = 0;
  for (int rank = 0; rank < job.ranks(); ++rank)
    if (is_dead(job, rank)) h = mixed(h + static_cast<std::uint64_t>(rank) + 1);
  return h == 0 ? 0 : static_cast<std::uint32_t>(h) | 1;
}

int first_dead(const space::Mapping& job, std::span<const std::int32_t> ranks) {
  for (const std::int32_t rank : ranks)
    if (is_dead(job, rank)) return rank;
  return -1;
}

Making::Making(wait::RankContext& me, std::span<const Rank> members, std::uint64_t call)
    : me_(me), call_(call) {
  if (goes_on(me.space)) makers_.assign(members.begin(), members.end());
}

// On a node the rounds of the team that is split are complete for all members or for none, and so
// is the making of each new team, since nobody leaves it out who has seen its block.
Making::Making(wait::RankContext& me, TeamState& split) : me_(me), split_(&split) {
  const auto members = split.members();
  if (goes_on(me.space) && split.replica().is_far()) makers_.assign(members.begin(), members.end());
}

void Making::require_all_alive() const {
  if (const int dead = first_dead(); dead >= 0)
    base::fail(Errc::rank_lost, fmt::format("Team::create: rank {} has died", dead));
}

/// Who has its team goes on to other calls of the one that was split, in which the dead may have
/// done its part: it must not wait there for this rank.
void Making::give_up() {
  if (makers_.empty() || split_ == nullptr || split_->has_given_up()) return;
  split_->give_up();
}

}  // namespace armature::team
