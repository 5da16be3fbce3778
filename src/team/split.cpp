// A team is split by its own rounds: in the first its members show their colors, in the second the
// first members of each new team on each node show the block that they have made. So all know how
// that went, and when one has had no memory nobody gets a team.
#include <algorithm>
#include <exception>
#include <vector>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "armature/named_call.hpp"
#include "armature/team.hpp"
#include "base/fail.hpp"
#include "team/agree.hpp"
#include "team/block.hpp"
#include "team/making.hpp"
#include "team/team_state.hpp"
#include "wait/rank_context.hpp"

namespace armature {
namespace {

using detail::TeamState;
using space::TeamBlock;
using team::Objection;

struct Choice {
  int color, key;
  std::uint64_t id;  // of the new team, if this is its first member
};

struct NewTeam {
  std::vector<Rank> members;  // none: the caller gets no team
  std::uint64_t id = 0;
};

NewTeam new_team(const Team& split, std::span<const Choice> choices, int color) {
  std::vector<int> chosen;
  for (int i = 0; i < split.size(); ++i)
    if (choices[static_cast<std::size_t>(i)].color == color) chosen.push_back(i);
  std::ranges::stable_sort(chosen, {},
                           [&](int i) { return choices[static_cast<std::size_t>(i)].key; });
  NewTeam made;
  if (color < 0) return made;
  for (const int i : chosen) made.members.push_back(split.world_rank(i));
  made.id = choices[static_cast<std::size_t>(chosen.front())].id;
  return made;
}

// In the place of a block: of a member that makes none; of one that could not.
constexpr std::uint64_t not_mine = 1, refused = 0;

/// This node's block of the new team, once all blocks of all new teams are made.
TeamBlock* share_blocks(const Team& split, wait::RankContext& me, const NewTeam& team) {
  TeamState& state = *split.state();
  team::OwnBlock own(me);
  std::optional<Objection> objection;
  const bool has_team = !team.members.empty();
  const Rank leader = has_team ? team::leader_of(team.members, me.space.me(), me.space) : Rank();
  std::uint64_t mine = not_mine;
  if (has_team && leader == me.space.me()) {
    objection = own.make(team.members, team.id);
    mine = reinterpret_cast<std::uint64_t>(own.get());
  }
  const std::vector<std::uint64_t> blocks = allgather(split, mine);
  if (std::ranges::find(blocks, refused) != blocks.end())
    team::agree(state, objection, "Team::split");
  if (!has_team) return nullptr;
  // On a node that round is complete for all members or for none: so either all of the new team's
  // come to use the block, or it is freed.
  if (own.get() != nullptr) return &own.share();
  auto* const block =
      reinterpret_cast<TeamBlock*>(blocks[static_cast<std::size_t>(state.member(leader))]);
  ARMATURE_ASSERT(me.space.owner(block) == leader && block->magic == TeamBlock::expected_magic &&
                  block->size == team.members.size());
  return block;
}

}  // namespace

Team Team::split(int color, int key) const {
  TeamState& state = checked("Team::split");
  wait::RankContext& me = wait::this_rank("Team::split");
  const detail::NamedCall named(*this, detail::UserCall::split);
  team::Making making(me, state);
  return team::do_part(making, [&]() -> Team {
    team::NewId id(me);
    const NewTeam team =
        new_team(*this, armature::allgather(*this, Choice{color, key, id.value()}), color);
    if (!team.members.empty() && team.members[0] == me.space.me()) id.use();
    TeamBlock* const block = share_blocks(*this, me, team);
    if (block == nullptr) return {};
    return Team(team::meet(team.members, me, *block, making));
  });
}

}  // namespace armature
