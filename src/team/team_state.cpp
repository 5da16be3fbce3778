#include "team/team_state.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "net/network.hpp"
#include "team/breakdown.hpp"
#include "team/recorded_reads.hpp"
#include "team/release.hpp"
#include "team/teams_of_rank.hpp"
#include "wait/cost_model.hpp"
#include "wait/notifier.hpp"
#include "wait/rank_context.hpp"
#include "wait/recorded_links.hpp"
#include "wait/wait.hpp"

namespace armature::detail {

using space::MemberLine;
using space::TeamBlock;

TeamState::TeamState(space::AddressSpace& space, TeamBlock& block, int me,
                     std::span<const std::int32_t> makers)
    : space_(space),
      id_(block.id),
      me_(me),
      members_(block, &block == &space.world_block()),
      lines_(block, me),
      deaths_(space, members_, lines_, makers),
      proxy_(std::in_place, space, block) {
  deaths_.reaches_other_nodes(proxy_->is_far());
  if (members_.are_all()) return;
  if (wait::RankContext* const context = wait::current_rank())
    next_ = std::exchange(team::teams_of(*context).first, this);
}

TeamState::~TeamState() {
  // First: what still comes from other nodes is written into the block.
  proxy_.reset();
  if (lines_.block() != nullptr) give_up_block();
  wait::RankContext* const context = wait::current_rank();
  if (members_.are_all() || context == nullptr) return;
  TeamState** place = &team::teams_of(*context).first;
  while (*place != nullptr && *place != this) place = &(*place)->next_;
  if (*place == this) *place = next_;
}

void TeamState::give_up_block() {
  TeamBlock& shared = block();
  shared.users.fetch_sub(1, std::memory_order_release);
  if (members_.are_all() || space_.owner(&shared) != space_.me()) return;
  space_.free_when_unused(shared);
}

void TeamState::let_go() {
  proxy_.reset();
  breakdown_ = block().breakdown.load(std::memory_order_relaxed);
  if (members_.are_all()) return;
  give_up_block();
  lines_.leave_block();
}

void TeamState::meet_again(TeamBlock& block) {
  lines_.move_to(block, !members_.are_all());
  if (breakdown_ != 0) (void)team::note_breakdown(block.breakdown, breakdown_);
  proxy_.emplace(space_, block);
  deaths_.reaches_other_nodes(proxy_->is_far());
}

TeamState::Collective::Collective(TeamState& team, const char* call) : team_(team) {
  const bool is_of_rank = wait::runs_rank();
  // Before others take it for one of theirs.
  if (!is_of_rank) wait::require_turn(wait::this_rank(call), call);
  const InCollective mine = is_of_rank ? InCollective::rank : InCollective::other_thread;
  InCollective there = InCollective::nobody;
  if (team.in_collective_.compare_exchange_strong(there, mine, std::memory_order_acquire)) return;
  if (there == InCollective::rank && mine == InCollective::rank)
    base::fail(Errc::misuse,
               fmt::format("{}: this rank is in another collective of the same team, and runs a "
                           "method meanwhile: that needs a team of its own (Team::duplicate), or "
                           "leaves collectives to what the rank does itself",
                           call));
  base::fail(Errc::misuse,
             fmt::format("{}: another thread of this rank is in a collective of the same team: "
                         "threads of a rank call collectives in turns (a mutex around them, or "
                         "one thread that makes them all)",
                         call));
}

namespace {

/// Whether member i has still to do something for the round that is waited for: to enter it; and
/// the first of this node, to bring what members on other nodes show, and, in a large team, to
/// release the others here.
bool is_missing(const wait::WaitFor& wait, std::size_t i) {
  auto& block = *static_cast<TeamBlock*>(const_cast<void*>(wait.object));
  const auto has_entered = [&](std::size_t member) {
    return block.line(member, wait.detail).round.load(std::memory_order_acquire) >= wait.detail;
  };
  if (i != team::Proxy::leader_of(block)) return !has_entered(i);
  if (block.size > TeamBlock::flat_max) {
    const std::uint64_t released = block.released.load(std::memory_order_acquire);
    return released == TeamBlock::never_more ? !team::have_entered(block, wait.detail)
                                             : released < wait.detail;
  }
  if (!has_entered(i)) return true;
  for (std::size_t member = 0; member < block.size; ++member)
    if (net::Network* const net = net::network();
        net != nullptr && !net->mapping().is_here(block.ranks()[member]) && !has_entered(member))
      return true;
  return false;
}

}  // namespace

void TeamState::await_members(const Agreed& agreed, const char* call, const ForAll* for_all) {
  wait::WaitFor wait{
      .what = is_barrier(agreed.kind) ? space::Awaiting::barrier : space::Awaiting::collective,
      .members = members(),
      .awaits = is_missing,
      .team = id_,
      .object = lines_.block(),
      .detail = lines_.round(),
      .call = call};
  if (lines_.are_flat()) {
    notify_members();
    return await_all(wait, agreed);
  }
  if (me_ != proxy_->leader()) return await_release(wait);
  if (proxy_->is_far()) {
    team::Release(lines_).await_anybody();
    await_all(wait, agreed);
  } else {
    await_each(wait);
  }
  release(for_all);
}

void TeamState::await_all(wait::WaitFor& wait, const Agreed& agreed) {
  const bool tells = proxy_->is_far() && me_ == proxy_->leader();
  const auto size = static_cast<std::size_t>(members_.size());
  std::size_t entered = 0;
  bool in_vain = false;
  wait::wait_until(wait, [&] {
    while (entered < size && lines_.has_entered(entered)) ++entered;
    const bool all = entered == size;
    // In this order: when all have entered, all is told before the rank goes on.
    if (tells) proxy_->tell_round(lines_.round(), agreed.read);
    in_vain = !all && deaths_.ends_round();
    return all || in_vain;
  });
  if (in_vain) deaths_.require_all_alive(wait.call);
}

/// Waits for one member after the other, so that those who enter meanwhile need not wake this one.
/// They are woken in team order and mostly enter in it: so the last one first.
void TeamState::await_each(wait::WaitFor& wait) {
  for (auto member = static_cast<std::size_t>(members_.size()); member-- > 0;) {
    if (lines_.has_entered(member)) continue;
    team::Release(lines_).await(member);
    bool in_vain = false;
    wait::wait_until(wait, [&] {
      const bool has = lines_.has_entered(member);
      in_vain = !has && deaths_.ends_round();
      return has || in_vain;
    });
    if (in_vain) deaths_.require_all_alive(wait.call);
  }
}

namespace {

/// Wakes the members behind this one. One that is late here, or dies, delays them by no more than
/// a sleep: they look by themselves then.
void notify_next(space::AddressSpace& space, const team::Members& members, int me) {
  constexpr int fan_out = 4;
  const int first = fan_out * me + 1;
  for (int next = first; next < std::min(first + fan_out, members.size()); ++next)
    wait::notify(space.slot(members.rank(next)));
}

}  // namespace

/// The others of a large team wait until the first one of the node has seen the round complete.
void TeamState::await_release(wait::WaitFor& wait) {
  const team::Release release(lines_);
  if (release.awaits(me_)) wait::notify(space_.slot(members_.rank(proxy_->leader())));
  wait.word = &release.word();
  wait::wait_until(wait, [&] { return release.round() >= lines_.round(); });
  if (space_.header().ranks_are_virtual == 0 && !proxy_->is_far())
    notify_next(space_, members_, me_);
  if (release.round() != TeamBlock::never_more) return;
  wait.word = nullptr;
  bool in_vain = false;
  wait::wait_until(wait, [&] {
    const bool all = lines_.have_all_entered();
    in_vain = !all && deaths_.ends_round();
    return all || in_vain;
  });
  if (in_vain) deaths_.require_all_alive(wait.call);
}

/// Virtual ranks wait together in each process. Of others the leader wakes some, who wake some
/// each.
void TeamState::release(const ForAll* for_all) {
  team::Release to_all(lines_);
  const bool agree = to_all.compare();
  if (for_all != nullptr && agree) {
    try {
      for_all->combine(for_all->how, *this);
      to_all.note_result();
    } catch (...) {
      // The round is complete all the same. Each combines for itself, and meets the exception.
    }
  }
  to_all.release();
  if (space_.header().ranks_are_virtual != 0)
    wait::notify_gathered();
  else if (proxy_->is_far())
    notify_members();
  else
    notify_next(space_, members_, me_);
}

void TeamState::notify_members() const {
  for (const std::int32_t rank : members())
    if (!proxy_->is_far() || space_.is_here(rank)) wait::notify(space_.slot(rank));
}

void TeamState::compare_signatures(std::uint64_t mine, const char* call) {
  if (lines_.are_known_to_agree()) return;
  for (int i = 0; i < size(); ++i) {
    const std::uint64_t theirs = lines_.signature_of(i);
    if (team::same_call(theirs, mine)) continue;
    lines_.pipeline().forget_calls();
    base::fail(Errc::bad_argument, team::text_of_disagreement(theirs, members_.rank(i), mine,
                                                              members_.rank(me_), call));
  }
}

// Sends the line to all nodes, since the rounds that this member has entered shall be seen
// everywhere: the node's first member may have given up before it.
void TeamState::give_up() {
  gave_up_ = true;
  lines_.give_up();
  if (proxy_->is_far()) proxy_->send_line(me_, lines_.round() | MemberLine::gave_up, read_);
  notify_members();
  if (lines_.are_flat() || me_ != proxy_->leader()) return;
  team::Release(lines_).release_for_ever();
  if (space_.header().ranks_are_virtual != 0) wait::notify_gathered();
  notify_members();
}

namespace {

/// The cost of a round in a simulation that predicts times; nothing elsewhere.
class Cost {
 public:
  Cost(const TeamState& team, const TeamState::Agreed& agreed, std::size_t shown)
      : model_(wait::CostModel::of_job()) {
    if (model_ != nullptr) [[unlikely]]
      enter(team, agreed, shown);
  }
  void is_over() const {
    if (model_ != nullptr) [[unlikely]]
      model_->leave(*cost_);
  }

 private:
  [[gnu::noinline]] void enter(const TeamState& team, const TeamState::Agreed& agreed,
                               std::size_t shown) {
    using By = team::Shown::By;
    using Reads = wait::RoundCost::Reads;
    const By by = agreed.read.by;
    cost_ = wait::RoundCost{.team = team.lines().block(),
                            .round = team.lines().round() + 1,
                            .member = static_cast<std::size_t>(team.rank()),
                            .ranks = team.members(),
                            .shown_bytes = shown,
                            .reads = by == By::root               ? Reads::what_root_reads
                                     : by == By::blocks           ? Reads::own_blocks
                                     : agreed.read.is_in_pieces() ? Reads::pieces_of_root
                                                                  : Reads::everything,
                            .root = agreed.read.root,
                            .is_fence = is_barrier(agreed.kind)};
    if (agreed.read.is_in_pieces() && cost_->member == cost_->root)
      for (std::uint32_t piece = 0; piece < agreed.read.pieces; ++piece)
        cost_->shown_bytes += agreed.read.piece_bytes(piece);
    model_->enter(*cost_);
  }

  wait::CostModel* const model_;
  std::optional<wait::RoundCost> cost_;
};

}  // namespace

void TeamState::round(const Agreed& agreed, std::size_t shown, const char* call,
                      const ForAll* for_all) {
  ARMATURE_ASSERT(shown <= team::Lines::bytes_max);
  const std::uint64_t signature =
      team::signature_of(agreed, shown, lines_.user_call(), lines_.pipeline().calls());
  // A barrier includes a fence: what was put before is there.
  if (net::Network* const net = net::network(); net != nullptr && is_barrier(agreed.kind))
    net->flush().to_reachable(call);
  if (gave_up_) deaths_.require_all_alive(call);
  read_ = agreed.read;
  const std::uint64_t number = lines_.round() + 1;
  if (races::looks()) [[unlikely]]
    races::enter(space_.me(), id_, number, is_barrier(agreed.kind));
  const Cost cost(*this, agreed, shown);
  lines_.enter(signature);
  try {
    await_members(agreed, call, for_all);
    cost.is_over();
  } catch (...) {
    give_up();
    throw;
  }
  if (races::looks()) [[unlikely]]
    races::leave(space_.me(), id_, number, members());
  compare_signatures(signature, call);
  if (wait::records_links()) [[unlikely]]
    team::record_reads(lines_, members(), me_, agreed.read);
  if (!team::has_root(agreed.kind)) lines_.pipeline().have_compared();
}

}  // namespace armature::detail
