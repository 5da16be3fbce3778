// On several nodes the first member of each makes its node's block, and invites the others there.
//
// Making a team without a team: only the members take part, so there is nothing collective to lean
// on. The first member makes the block that all will share and sends the others its address;
// messages between two ranks keep their order, so teams that two ranks make in the same order
// cannot be confused.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armature/team.hpp"
#include "base/bytes.hpp"
#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "progress/rank_context.hpp"
#include "progress/wait.hpp"
#include "team/making.hpp"
#include "team/renewal.hpp"
#include "team/team_state.hpp"

namespace armature {
namespace {

using base::fail;
using detail::TeamState;
using space::TeamBlock;
using team::Making;

constexpr std::int32_t invitation_tag = -1;

struct Invitation {
  std::uint64_t block = 0;  // 0: whoever invites had no memory for it
  std::uint32_t id = 0;     // the team's
  std::uint32_t dead = 0;   // the roll, as far as whoever invites knows
  std::uint64_t members_hash = 0;
  std::uint64_t call = 0;  // Making's
};

std::uint64_t hash(std::span<const Rank> members) { return base::checksum(std::as_bytes(members)); }

void check(std::span<const Rank> members, progress::RankContext& me) {
  for (const Rank rank : members) me.space.require_rank(rank, "Team::create");
  std::vector<int> ranks(members.begin(), members.end());
  std::ranges::sort(ranks);
  const auto twice = std::ranges::adjacent_find(ranks);
  if (twice != ranks.end())
    fail(Errc::bad_argument, fmt::format("Team::create: rank {} is named twice", *twice));
  if (!std::ranges::binary_search(ranks, static_cast<int>(me.space.me())))
    fail(Errc::bad_argument, "Team::create: the calling rank is not among the members");
}

/// How many of them are on this node.
std::uint32_t count_here(std::span<const Rank> members, const progress::RankContext& me) {
  return static_cast<std::uint32_t>(std::count_if(
      members.begin(), members.end(), [&](Rank rank) { return me.space.is_here(rank); }));
}

/// The first of them on that rank's node.
Rank leader_of(std::span<const Rank> members, Rank rank, const progress::RankContext& me) {
  return *std::find_if(members.begin(), members.end(), [&](Rank member) {
    return me.space.slot(member).node == me.space.slot(rank).node;
  });
}

TeamBlock* make_block(std::span<const Rank> members, progress::RankContext& me, std::uint64_t id,
                      space::AddressSpace::Failure& failure) {
  if (id > UINT32_MAX) {
    failure = {fmt::format("a rank's share of 2^32 teams of the job ({})",
                           UINT32_MAX / static_cast<std::uint32_t>(me.space.ranks())),
               0};
    return nullptr;
  }
  void* memory = me.space.allocate_sparse(TeamBlock::bytes(members.size()), failure);
  if (memory == nullptr) return nullptr;
  auto* block = new (memory) TeamBlock;
  block->id = static_cast<std::uint32_t>(id);
  block->size = static_cast<std::uint32_t>(members.size());
  block->users = count_here(members, me);
  std::transform(members.begin(), members.end(), block->ranks(),
                 [](Rank r) { return static_cast<int>(r); });
  return block;
}

/// Makes this node's block and invites its other members; the first of all invites the first
/// members of the other nodes too. One that dies meanwhile needs no invitation: the others shall
/// have theirs.
TeamBlock* invite(std::span<const Rank> members, progress::RankContext& me, std::uint64_t id,
                  const Making& making) {
  // In this order: on the roll of an invitation is nobody who makes that team.
  const std::uint32_t dead = team::roll_of_the_dead(me.space);
  making.require_all_alive();
  space::AddressSpace::Failure failure;
  TeamBlock* block = make_block(members, me, id, failure);
  const Invitation invitation{reinterpret_cast<std::uint64_t>(block),
                              static_cast<std::uint32_t>(id), dead, hash(members), making.call()};
  for (const Rank rank : members) {
    const bool mine = me.space.is_here(rank) ||
                      (members[0] == me.space.me() && leader_of(members, rank, me) == rank);
    if (rank == me.space.me() || !mine) continue;
    try {
      me.messages.send(rank, invitation_tag, std::as_bytes(std::span(&invitation, 1)),
                       "Team::create");
    } catch (const Error& error) {
      if (error.code() != Errc::rank_lost) throw;
    }
  }
  if (block == nullptr)
    fail(Errc::out_of_memory,
         fmt::format("Team::create: no memory for a team of {}: {} leaves {}", members.size(),
                     failure.limit, base::readable_bytes(failure.free)));
  return block;
}

/// Whether an invitation to another call is the program's mistake: both know of the same deaths,
/// and none is of one who makes either team, so neither could have left out a call for it. The
/// roll first: whose death explains the invitation is on it, or found after it. Between nodes a
/// rank may act on a death of which only others have heard that have told it to.
bool is_mistaken(const Invitation& invitation, const progress::RankContext& me,
                 const Making& making) {
  const std::uint32_t dead = team::roll_of_the_dead(me.space);
  const bool can_tell = dead == 0 || me.space.header().nodes == 1;
  return can_tell && invitation.dead == dead && making.first_dead() < 0;
}

/// The invitation by that rank to this call. Those to calls before it, which this rank has given up
/// or left out after a death, are dropped; those to calls after it, to which the other one has come
/// already, stay for these.
std::optional<Invitation> find_invitation(int inviter, progress::RankContext& me,
                                          const Making& making) {
  std::vector<progress::Message> others;
  while (auto message = me.messages.try_receive(inviter, invitation_tag)) {
    Invitation invitation;
    ARMATURE_ASSERT(message->data.size() == sizeof invitation);
    std::memcpy(&invitation, message->data.data(), sizeof invitation);
    if (invitation.call == making.call() || is_mistaken(invitation, me, making)) return invitation;
    others.push_back(std::move(*message));
  }
  for (; !others.empty(); others.pop_back()) me.messages.put_back(std::move(others.back()));
  return std::nullopt;
}

Invitation await_invitation(int inviter, progress::RankContext& me, const Making& making) {
  std::optional<Invitation> found;
  progress::WaitFor wait{
      .what = space::Awaiting::team,
      .peer = inviter,
      .detail = static_cast<std::uint64_t>(static_cast<std::uint32_t>(invitation_tag)),
      .call = "Team::create"};
  progress::wait_until(wait, [&] {
    if (!found) found = find_invitation(inviter, me, making);
    // The lives of many are not looked at again and again for nothing.
    return found || (me.space.header().deaths.load(std::memory_order_acquire) != 0 &&
                     making.first_dead() >= 0);
  });
  if (!found) making.require_all_alive();
  return *found;
}

TeamBlock* accept(std::span<const Rank> members, progress::RankContext& me, const Making& making) {
  const Rank leader = leader_of(members, me.space.me(), me);
  const Rank inviter = leader == me.space.me() ? members[0] : leader;
  const Invitation invitation = await_invitation(inviter, me, making);
  if (invitation.members_hash != hash(members))
    fail(Errc::bad_argument,
         fmt::format("Team::create: rank {} makes a team of other members: all must name the same "
                     "ranks in the same order, and make their teams in the same order",
                     static_cast<int>(members[0])));
  if (invitation.block == 0)
    fail(Errc::out_of_memory, fmt::format("Team::create: rank {} has no memory for a team of {}",
                                          static_cast<int>(members[0]), members.size()));
  if (leader == me.space.me()) return invite(members, me, invitation.id, making);
  auto* block = reinterpret_cast<TeamBlock*>(invitation.block);
  ARMATURE_ASSERT(me.space.owner(block) == leader && block->magic == TeamBlock::expected_magic &&
                  block->size == members.size());
  return block;
}

}  // namespace

void team::let_go(const progress::RankContext& me) {
  for (TeamState* state = me.first_team; state != nullptr; state = state->next()) state->let_go();
}

void team::leave_process(const progress::RankContext& rank) {
  for (TeamState* state = rank.first_team; state != nullptr; state = state->next())
    state->leave_process();
}

// In the same order everywhere: who waits to be invited waits for one who is at the same team, or
// at one before it.
void team::meet_again(progress::RankContext& me) {
  std::vector<TeamState*> teams;
  for (TeamState* state = me.first_team; state != nullptr; state = state->next())
    teams.push_back(state);
  std::sort(teams.begin(), teams.end(),
            [](const TeamState* a, const TeamState* b) { return a->id() < b->id(); });
  for (TeamState* state : teams) {
    const std::vector<Rank> members(state->members().begin(), state->members().end());
    const Making making(me, members, hash(members));
    state->meet_again(members[0] == me.space.me() ? *invite(members, me, state->id(), making)
                                                  : *accept(members, me, making));
  }
}

namespace {

/// In the end all have met: who has the team knows that all others had come to its last step.
std::shared_ptr<TeamState> make(std::span<const Rank> members, progress::RankContext& me,
                                const Making& making) {
  // Unique in the job, never 0, which is the world's.
  const auto new_id = [&] {
    return ++me.teams_made * static_cast<std::uint64_t>(me.space.ranks()) +
           static_cast<std::uint64_t>(me.space.me());
  };
  making.require_all_alive();
  TeamBlock* block = members[0] == me.space.me() ? invite(members, me, new_id(), making)
                                                 : accept(members, me, making);
  const auto mine = std::find(members.begin(), members.end(), me.space.me()) - members.begin();
  auto state =
      std::make_shared<TeamState>(me.space, *block, static_cast<int>(mine), making.makers());
  state->round({TeamState::Kind::barrier}, 0, "barrier");
  return state;
}

/// Does a part of it; whoever loses one of those who take part gives it up.
template <class Do>
auto do_part(Making& making, Do&& part) {
  try {
    return part();
  } catch (const Error& error) {
    if (error.code() == Errc::rank_lost) making.give_up();
    throw;
  }
}

}  // namespace

Team Team::create(std::span<const Rank> members) {
  progress::RankContext& me = progress::this_rank("Team::create");
  check(members, me);
  Making making(me, members, hash(members));
  return do_part(making, [&] { return Team(make(members, me, making)); });
}

Team Team::split(int color, int key) const {
  struct Choice {
    int color, key, member;
  };
  TeamState& state = checked("Team::split");
  progress::RankContext& me = progress::this_rank("Team::split");
  Making making(me, state);
  return do_part(making, [&]() -> Team {
    std::vector<Choice> choices = allgather(Choice{color, key, state.rank()});
    std::erase_if(choices, [&](const Choice& c) { return c.color != color; });
    std::stable_sort(choices.begin(), choices.end(),
                     [](const Choice& a, const Choice& b) { return a.key < b.key; });
    if (color < 0) return {};
    std::vector<Rank> members;
    for (const Choice& choice : choices) members.push_back(world_rank(choice.member));
    return Team(make(members, me, making));
  });
}

}  // namespace armature
