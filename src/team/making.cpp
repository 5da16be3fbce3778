#include "team/making.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "team/team_state.hpp"

namespace armature::team {

using detail::TeamState;

namespace {

/// Whether they are on several nodes, and the job goes on without its dead. On a node all come to
/// the same answer by what is there in memory.
template <class Ranks>
bool need_watching(const space::AddressSpace& space, const Ranks& ranks) {
  return space.header().on_death == space::OnDeath::go_on &&
         !std::all_of(ranks.begin(), ranks.end(),
                      [&](const auto rank) { return space.is_here(rank); });
}

/// Unlike any other number by chance; a split of the team of all is no exception.
std::uint64_t split_call(const TeamState& team) {
  std::uint64_t h = 0x9e3779b97f4a7c15 * (team.id() + std::uint64_t{1});
  h = (h ^ (h >> 29)) + team.rounds() + 1;
  h *= 0xbf58476d1ce4e5b9;
  return h ^ (h >> 32);
}

}  // namespace

bool some_died(const space::Mapping& job) {
  if (job.header().on_death != space::OnDeath::go_on) return false;
  for (int rank = 0; rank < job.ranks(); ++rank)
    if (job.slot(rank).life.load(std::memory_order_acquire) == space::Life::dead) return true;
  return false;
}

int first_dead(const space::Mapping& job, std::span<const std::int32_t> ranks) {
  for (const std::int32_t rank : ranks)
    if (job.slot(rank).life.load(std::memory_order_acquire) == space::Life::dead) return rank;
  return -1;
}

Making::Making(progress::RankContext& me, std::span<const Rank> members, std::uint64_t call)
    : me_(me), call_(call) {
  if (need_watching(me.space, members)) makers_.assign(members.begin(), members.end());
}

Making::Making(progress::RankContext& me, TeamState& split)
    : me_(me), split_(&split), call_(split_call(split)) {
  const auto members = split.members();
  if (need_watching(me.space, members)) makers_.assign(members.begin(), members.end());
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
