// Making a team without a team: only the members take part, so there is nothing collective to lean
// on. The first member makes the block that all will share and sends the others its address;
// messages between two ranks keep their order, so teams that two ranks make in the same order
// cannot be confused.
//
// On several nodes the first member of each makes its node's block. The first of all asks them to,
// hears whether they have, and then tells them to invite the others of their nodes. So nobody is
// invited to a team that somebody has no memory for: who lacks some refuses (refusal.hpp), and that
// takes the way that invitations would have taken.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armature/team.hpp"
#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "message/messages.hpp"
#include "team/block.hpp"
#include "team/making.hpp"
#include "team/refusal.hpp"
#include "team/renewal.hpp"
#include "team/team_state.hpp"
#include "team/teams_of_rank.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature {
namespace {

using base::fail;
using detail::TeamState;
using space::TeamBlock;
using team::leader_of;
using team::Making;

constexpr std::int32_t invitation_tag = 0;

enum class Step : std::uint32_t {
  prepare,  // from the first of all to the first of another node: make your block
  ready,    // back: it is made
  join      // all blocks are made: here is this node's
};

struct Invitation {
  Step step = Step::join;
  std::uint32_t id = 0;     // the team's
  std::uint64_t block = 0;  // to join: the receiver's node's, where that is the sender's too
  std::uint64_t dead = 0;   // the failed-set hash of who invites
  std::uint64_t members_hash = 0;
  std::uint64_t call = 0;  // Making's
};

std::uint64_t hash(std::span<const Rank> members) { return base::checksum(std::as_bytes(members)); }

void check(std::span<const Rank> members, wait::RankContext& me) {
  for (const Rank rank : members) me.space.require_rank(rank, "Team::create");
  std::vector<int> ranks(members.begin(), members.end());
  std::ranges::sort(ranks);
  const auto twice = std::ranges::adjacent_find(ranks);
  if (twice != ranks.end())
    fail(Errc::bad_argument, fmt::format("Team::create: rank {} is named twice", *twice));
  if (!std::ranges::binary_search(ranks, static_cast<int>(me.space.me())))
    fail(Errc::bad_argument, "Team::create: the calling rank is not among the members");
}

/// Does something for each of the members, other than this rank, that it invites: those of its own
/// node, and if it is the first of all, the first of each other node.
template <class Do>
void for_each_guest(std::span<const Rank> members, const wait::RankContext& me, Do&& act) {
  for (const Rank rank : members) {
    const bool mine = me.space.is_here(rank) ||
                      (members[0] == me.space.me() && leader_of(members, rank, me.space) == rank);
    if (rank != me.space.me() && mine) act(rank);
  }
}

/// One that dies meanwhile needs no invitation: the others shall have theirs.
void send(wait::RankContext& me, int to, const Invitation& invitation) {
  try {
    message::messages_of(me).send({to, message::context::teams, invitation_tag},
                                  std::as_bytes(std::span(&invitation, 1)), "Team::create");
  } catch (const Error& error) {
    if (error.code() != Errc::rank_lost) throw;
  }
}

/// Whether an invitation to another call is the program's mistake: both know of the same deaths,
/// and none is of one who makes either team, so neither could have left out a call for it. The
/// failed-set hash is read first: whose death explains the invitation is in it, or found after it.
/// Between nodes a rank may act on a death of which only others have heard that have told it to.
bool is_mistaken(const Invitation& invitation, const wait::RankContext& me, const Making& making) {
  const std::uint32_t dead = team::failed_set_hash(me.space);
  const bool can_tell = dead == 0 || me.space.header().nodes == 1;
  return can_tell && invitation.dead == dead && making.first_dead() < 0;
}

/// The invitation by that rank to this call. Those to calls before it, which this rank has given up
/// or left out after a death, are dropped; those to calls after it, to which the other one has come
/// already, stay for these.
std::optional<Invitation> find_invitation(int inviter, wait::RankContext& me,
                                          const Making& making) {
  std::vector<std::unique_ptr<message::Arrival>> others;
  while (auto message =
             message::messages_of(me).take({message::context::teams, inviter, invitation_tag})) {
    Invitation invitation;
    ARMATURE_ASSERT(message->data.size() == sizeof invitation);
    std::memcpy(&invitation, message->data.data(), sizeof invitation);
    if (invitation.call == making.call() || is_mistaken(invitation, me, making)) return invitation;
    others.push_back(std::move(message));
  }
  for (; !others.empty(); others.pop_back())
    message::messages_of(me).put_back(std::move(others.back()));
  return std::nullopt;
}

/// Waits for the invitation that the rank sends for this call; nothing when the rank refuses.
std::optional<Invitation> await_invitation(int inviter, wait::RankContext& me,
                                           const Making& making) {
  std::optional<Invitation> found;
  bool is_refused = false;
  wait::WaitFor wait{
      .what = space::Awaiting::team,
      .peer = inviter,
      .detail = static_cast<std::uint64_t>(static_cast<std::uint32_t>(invitation_tag)),
      .call = "Team::create"};
  wait::wait_until(wait, [&] {
    if (!found) found = find_invitation(inviter, me, making);
    is_refused = !found && team::was_refused(me, inviter, making);
    // The lives of many are not looked at again and again for nothing.
    return found || is_refused ||
           (me.space.header().gone.deaths.load(std::memory_order_acquire) != 0 &&
            making.first_dead() >= 0);
  });
  if (!found && !is_refused) making.require_all_alive();
  return found;
}

/// A team that is made, as its first member on a node sees it.
class Host {
 public:
  Host(std::span<const Rank> members, wait::RankContext& me, const Making& making)
      : members_(members), me_(me), making_(making), own_(me) {
    // First: in the failed set of an invitation is nobody who makes that team.
    invitation_.dead = team::failed_set_hash(me.space);
    invitation_.members_hash = hash(members);
    invitation_.call = making.call();
  }

  /// By the first of all.
  TeamBlock& lead(std::uint64_t id) {
    invitation_.id = static_cast<std::uint32_t>(id);
    making_.require_all_alive();
    prepare(id, -1);
    for_each_leader([&](Rank leader) { send(Step::prepare, leader); });
    std::vector<Rank> ready;
    Rank refuser = Rank::none();
    for_each_leader([&](Rank leader) {
      if (await_invitation(leader, me_, making_))
        ready.push_back(leader);
      else
        refuser = leader;
    });
    if (refuser == Rank::none()) return join();
    for (const Rank leader : ready) team::refuse(me_, leader, making_);
    refuse_here();
    fail_for(refuser);
  }

  /// By the first of another node, which has been asked to prepare.
  TeamBlock& follow(std::uint32_t id) {
    invitation_.id = id;
    prepare(id, members_[0]);
    send(Step::ready, members_[0]);
    if (await_invitation(members_[0], me_, making_)) return join();
    refuse_here();
    fail_for(members_[0]);
  }

  [[noreturn]] void fail_for(Rank refuser) const {
    fail(Errc::out_of_memory,
         fmt::format("Team::create: rank {} has, or has been told of, no memory for a team of {}",
                     static_cast<int>(refuser), members_.size()));
  }

 private:
  friend TeamBlock& accept(std::span<const Rank>, wait::RankContext&, const Making&);

  template <class Do>
  void for_each_leader(Do&& act) const {
    for_each_guest(members_, me_, [&](Rank rank) {
      if (!me_.space.is_here(rank)) act(rank);
    });
  }
  void send(Step step, Rank to) {
    invitation_.step = step;
    armature::send(me_, to, invitation_);
  }

  /// All memory that is needed up to the end; where there is none the guests hear of it, and who
  /// has asked.
  void prepare(std::uint64_t id, int asker) {
    std::string why;
    try {
      for_each_guest(members_, me_,
                     [&](Rank rank) { message::messages_of(me_).open(rank, "Team::create"); });
      if (asker >= 0) message::messages_of(me_).open(asker, "Team::create");
      if (const auto objection = own_.make(members_, id)) why = "Team::create: " + objection->text;
    } catch (const Error& error) {
      if (error.code() != Errc::out_of_memory) throw;
      why = error.what();
    }
    if (why.empty()) return;
    for_each_leader([&](Rank leader) { team::refuse(me_, leader, making_); });
    refuse_here();
    if (asker >= 0) team::refuse(me_, asker, making_);
    fail(Errc::out_of_memory, why);
  }
  void refuse_here() {
    for_each_guest(members_, me_, [&](Rank rank) {
      if (me_.space.is_here(rank)) team::refuse(me_, rank, making_);
    });
  }
  /// Invites all guests: all have what they need.
  TeamBlock& join() {
    TeamBlock& block = own_.share();
    invitation_.block = reinterpret_cast<std::uint64_t>(&block);
    for_each_guest(members_, me_, [&](Rank rank) { send(Step::join, rank); });
    return block;
  }

  const std::span<const Rank> members_;
  wait::RankContext& me_;
  const Making& making_;
  team::OwnBlock own_;
  Invitation invitation_;
};

TeamBlock& accept(std::span<const Rank> members, wait::RankContext& me, const Making& making) {
  const Rank leader = leader_of(members, me.space.me(), me.space);
  const bool leads = leader == me.space.me();
  const Rank inviter = leads ? members[0] : leader;
  const std::optional<Invitation> invitation = await_invitation(inviter, me, making);
  if (invitation && invitation->members_hash != hash(members))
    fail(Errc::bad_argument,
         fmt::format("Team::create: rank {} makes a team of other members: all must name the same "
                     "ranks in the same order, and make their teams in the same order",
                     static_cast<int>(members[0])));
  Host host(members, me, making);
  if (!invitation) {
    if (leads) host.refuse_here();
    host.fail_for(inviter);
  }
  if (leads) return host.follow(invitation->id);
  auto* block = reinterpret_cast<TeamBlock*>(invitation->block);
  ARMATURE_ASSERT(me.space.owner(block) == leader && block->magic == TeamBlock::expected_magic &&
                  block->size == members.size());
  return *block;
}

}  // namespace

void team::let_go(const wait::RankContext& me) {
  for (TeamState* state = teams_of(me).first; state != nullptr; state = state->next())
    state->let_go();
}

void team::leave_process(const wait::RankContext& rank) {
  for (TeamState* state = teams_of(rank).first; state != nullptr; state = state->next())
    state->leave_process();
}

// In the same order everywhere: who waits to be invited waits for one who is at the same team, or
// at one before it.
void team::meet_again(wait::RankContext& me) {
  std::vector<TeamState*> teams;
  for (TeamState* state = teams_of(me).first; state != nullptr; state = state->next())
    teams.push_back(state);
  std::sort(teams.begin(), teams.end(),
            [](const TeamState* a, const TeamState* b) { return a->id() < b->id(); });
  for (TeamState* state : teams) {
    const std::vector<Rank> members(state->members().begin(), state->members().end());
    const Making making(me, members, hash(members));
    state->meet_again(members[0] == me.space.me() ? Host(members, me, making).lead(state->id())
                                                  : accept(members, me, making));
  }
}

Team Team::create(std::span<const Rank> members) {
  wait::RankContext& me = wait::this_rank("Team::create");
  check(members, me);
  Making making(me, members, hash(members));
  return team::do_part(making, [&] {
    making.require_all_alive();
    if (members[0] != me.space.me())
      return Team(team::meet(members, me, accept(members, me, making), making));
    team::NewId id(me);
    TeamBlock& block = Host(members, me, making).lead(id.value());
    id.use();
    return Team(team::meet(members, me, block, making));
  });
}

}  // namespace armature
