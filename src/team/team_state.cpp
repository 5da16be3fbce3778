#include "team/team_state.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "net/network.hpp"
#include "team/dead_ranks.hpp"
#include "team/teams_of_rank.hpp"
#include "wait/bell.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature::detail {

using space::MemberLine;
using space::TeamBlock;

namespace {

// A signature: 4 bits say which collective, 8 from or to whom, 16 what is shown, 36 how many bytes.
// Of what is larger the lowest bits are compared.
constexpr int kind_shift = 60, root_shift = 52;
constexpr std::uint64_t root_mask = 0xff;
constexpr std::uint64_t bytes_mask = (std::uint64_t{1} << MemberLine::shown_shift) - 1;
static_assert(MemberLine::shown_shift + MemberLine::shown_bits == root_shift);

std::uint64_t signature_of(const TeamState::Agreed& agreed, std::size_t shown) {
  return (static_cast<std::uint64_t>(agreed.kind) << kind_shift) |
         ((static_cast<std::uint64_t>(agreed.root) & root_mask) << root_shift) |
         (std::uint64_t{shown} << MemberLine::shown_shift) | (agreed.bytes & bytes_mask);
}

/// "a broadcast of 8 bytes".
std::string text_of(std::uint64_t signature) {
  constexpr const char* names[] = {
      "a barrier", "a broadcast",  "an allgather", "a gather", "a scatter",         "an alltoall",
      "a reduce",  "an allreduce", "a reduction",  "a scan",   "an exclusive scan", "an agreement"};
  const std::uint64_t kind = signature >> kind_shift;
  if (kind >= std::size(names)) return "something";
  if (kind == static_cast<std::uint64_t>(TeamState::Kind::barrier) ||
      kind == static_cast<std::uint64_t>(TeamState::Kind::agreement))
    return names[kind];
  return fmt::format("{} of {} bytes", names[kind], signature & bytes_mask);
}

bool is_barrier(TeamState::Kind kind) {
  return kind == TeamState::Kind::barrier || kind == TeamState::Kind::leaving ||
         kind == TeamState::Kind::agreement;
}

}  // namespace

TeamState::TeamState(space::AddressSpace& space, TeamBlock& block, int me,
                     std::span<const std::int32_t> makers)
    : space_(space),
      block_(&block),
      replica_(std::in_place, space, block),
      id_(block.id),
      me_(me),
      is_world_(&block == &space.world_block()),
      makers_(makers.begin(), makers.end()) {
  if (is_world_) {
    members_ = {block.ranks(), block.size};
    return;
  }
  own_members_.assign(block.ranks(), block.ranks() + block.size);
  members_ = own_members_;
  if (!std::ranges::is_sorted(members_)) {
    by_rank_.resize(members_.size());
    std::iota(by_rank_.begin(), by_rank_.end(), 0);
    std::ranges::sort(by_rank_, {}, [&](int member) { return rank_of(member); });
  }
  if (wait::RankContext* const context = wait::current_rank())
    next_ = std::exchange(team::teams_of(*context).first, this);
}

TeamState::~TeamState() {
  // First: what still comes from other nodes is written into the block.
  replica_.reset();
  if (block_ != nullptr) give_up_block();
  wait::RankContext* const context = wait::current_rank();
  if (is_world_ || context == nullptr) return;
  TeamState** place = &team::teams_of(*context).first;
  while (*place != nullptr && *place != this) place = &(*place)->next_;
  if (*place == this) *place = next_;
}

void TeamState::give_up_block() {
  block_->users.fetch_sub(1, std::memory_order_release);
  if (is_world_ || space_.owner(block_) != space_.me()) return;
  space_.free_when_unused(*block_);
}

void TeamState::let_go() {
  replica_.reset();
  if (is_world_) return;
  give_up_block();
  block_ = nullptr;
}

void TeamState::meet_again(TeamBlock& block) {
  if (!is_world_) round_ = 0;
  block_ = &block;
  replica_.emplace(space_, block);
}

int TeamState::member(Rank world_rank) const {
  if (is_world_) return world_rank >= 0 && world_rank < size() ? static_cast<int>(world_rank) : -1;
  if (by_rank_.empty()) {
    const auto found = std::ranges::lower_bound(members_, static_cast<int>(world_rank));
    return found != members_.end() && *found == world_rank
               ? static_cast<int>(found - members_.begin())
               : -1;
  }
  const auto found = std::ranges::lower_bound(by_rank_, static_cast<int>(world_rank), {},
                                              [&](int member) { return rank_of(member); });
  return found != by_rank_.end() && rank_of(*found) == world_rank ? *found : -1;
}

TeamState::Collective::Collective(TeamState& team, const char* call) : team_(team) {
  (void)wait::this_rank(call);  // before others take it for one of theirs
  if (team.in_collective_.exchange(true, std::memory_order_acquire))
    base::fail(Errc::misuse,
               fmt::format("{}: this rank is in another collective of the same team, and runs a "
                           "method meanwhile: that needs a team of its own (Team::duplicate), or "
                           "leaves collectives to what the rank does itself",
                           call));
}

bool TeamState::is_flat() const { return members_.size() <= TeamBlock::flat_max; }

std::byte* TeamState::outgoing(std::size_t bytes) {
  ARMATURE_ASSERT(bytes <= bytes_max);
  const auto me = static_cast<std::size_t>(me_);
  return bytes <= MemberLine::inline_bytes ? block_->line(me, round_ + 1).payload
                                           : block_->staging(me, round_ + 1);
}

const std::byte* TeamState::incoming(int member, std::size_t bytes) const {
  const auto m = static_cast<std::size_t>(member);
  const std::byte* const shown = bytes <= MemberLine::inline_bytes ? block_->line(m, round_).payload
                                                                   : block_->staging(m, round_);
  if (member != me_) base::mark_defined(shown, bytes);
  return shown;
}

void TeamState::publish(std::uint64_t signature) {
  MemberLine& mine = block_->line(static_cast<std::size_t>(me_), round_);
  mine.signature = signature;
  // Release: who sees the round sees the bytes shown in it, and all this rank has stored before.
  mine.round.store(round_, std::memory_order_release);
}

namespace {

bool have_entered(TeamBlock& block, std::uint64_t round) {
  for (std::size_t member = 0; member < block.size; ++member)
    if (block.line(member, round).round.load(std::memory_order_acquire) < round) return false;
  return true;
}

/// Whether member i has still to do something for the round that is waited for: to enter it; and
/// the first of this node, to bring what members on other nodes show, and, in a large team, to
/// release the others here.
bool is_missing(const wait::WaitFor& wait, std::size_t i) {
  auto& block = *static_cast<TeamBlock*>(const_cast<void*>(wait.object));
  const auto has_entered = [&](std::size_t member) {
    return block.line(member, wait.detail).round.load(std::memory_order_acquire) >= wait.detail;
  };
  if (i != team::Replica::leader_of(block)) return !has_entered(i);
  if (block.size > TeamBlock::flat_max) {
    const std::uint64_t released = block.released.load(std::memory_order_acquire);
    return released == TeamBlock::never_more ? !have_entered(block, wait.detail)
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

void TeamState::await_members(const Agreed& agreed, const char* call) {
  wait::WaitFor wait{
      .what = is_barrier(agreed.kind) ? space::Awaiting::barrier : space::Awaiting::collective,
      .members = members_,
      .awaits = is_missing,
      .team = block_->id,
      .object = block_,
      .detail = round_,
      .call = call};
  const int leader = replica_->leader();
  bool in_vain = false;
  if (!is_flat() && me_ != leader) {
    wait::ring(space_.slot(members_[static_cast<std::size_t>(leader)]));
    wait::wait_until(wait, [&] {
      const std::uint64_t released = block_->released.load(std::memory_order_acquire);
      if (released != TeamBlock::never_more) return released >= round_;
      const bool all = have_entered(*block_, round_);
      in_vain = !all && is_in_vain();
      return all || in_vain;
    });
    if (in_vain) require_all_alive(call);
    return;
  }
  if (is_flat()) ring_members();
  const bool tells = replica_->is_far() && me_ == leader;
  std::size_t entered = 0;
  wait::wait_until(wait, [&] {
    while (entered < members_.size() &&
           block_->line(entered, round_).round.load(std::memory_order_acquire) >= round_)
      ++entered;
    const bool all = entered == members_.size();
    // In this order: when all have entered, all is told before the rank goes on.
    if (tells) replica_->tell_round(round_, agreed.read);
    in_vain = !all && is_in_vain();
    return all || in_vain;
  });
  if (in_vain) require_all_alive(call);
  if (is_flat()) return;
  note_disagreement(block_->line(0, round_).signature);
  block_->released.store(round_, std::memory_order_release);
  ring_members();
}

void TeamState::ring_members() const {
  for (const std::int32_t rank : members_)
    if (!replica_->is_far() || space_.is_here(rank)) wait::ring(space_.slot(rank));
}

/// In large teams the first of the node, who looks at all lines anyway, compares for all.
void TeamState::note_disagreement(std::uint64_t mine) {
  for (int i = 0; i < size(); ++i)
    if (block_->line(static_cast<std::size_t>(i), round_).signature != mine)
      block_->disagreed.store(round_, std::memory_order_relaxed);
}

/// Of large teams: whether the first of the node has found all signatures of the round equal.
bool TeamState::is_known_to_agree() const {
  // Acquire: written before the round was released.
  return !is_flat() && block_->disagreed.load(std::memory_order_acquire) != round_ &&
         block_->released.load(std::memory_order_relaxed) != TeamBlock::never_more;
}

std::optional<TeamState::Shown> TeamState::first_to_show() const {
  const auto shown = [&](int member) {
    return MemberLine::shown(block_->line(static_cast<std::size_t>(member), round_).signature);
  };
  // What is shown is a part of the signature.
  if (is_known_to_agree() && shown(me_) == 0) return std::nullopt;
  for (int i = 0; i < size(); ++i)
    if (shown(i) > 0) return Shown{i, shown(i)};
  return std::nullopt;
}

void TeamState::compare_signatures(std::uint64_t mine, const char* call) const {
  if (is_known_to_agree()) return;
  for (int i = 0; i < size(); ++i) {
    const std::uint64_t theirs = block_->line(static_cast<std::size_t>(i), round_).signature;
    if (((theirs ^ mine) & ~MemberLine::shown_mask) == 0) continue;
    auto text = [&](int member, std::uint64_t signature) {
      const std::int32_t rank = rank_of(member);
      if (signature >> kind_shift == static_cast<std::uint64_t>(Kind::leaving))
        return fmt::format("rank {} has returned already", rank);
      return fmt::format("rank {} is in {}", rank, text_of(signature));
    };
    const bool is_root =
        ((theirs ^ mine) & ~(MemberLine::shown_mask | root_mask << root_shift)) == 0;
    base::fail(Errc::bad_argument,
               fmt::format("{}: members of the team disagree{}: {}, {}", call,
                           is_root ? " about the root" : "", text(i, theirs), text(me_, mine)));
  }
}

/// Whether a round that is not complete never will be. Between nodes news of a death may overtake
/// what the dead has done before: who has heard of it gives up a round that others know to be
/// complete, and these would wait for it in the next one; or it tells nobody any more that others
/// of its node have entered. The round that ends the making of a team goes by deaths alone. Whether
/// it is complete is looked at last: on a node, who gave up a round after it has seen that it is,
/// so who acquires the mark sees it, too.
bool TeamState::will_not_be_complete() const {
  const bool is_being_made = round_ == 1 && !makers_.empty();
  return (is_being_made || somebody_has_given_up()) && first_dead() >= 0 &&
         !have_entered(*block_, round_);
}

bool TeamState::must_look_for_deaths() const {
  return (replica_->is_far() || !makers_.empty()) &&
         space_.header().deaths.load(std::memory_order_acquire) != 0;
}

bool TeamState::somebody_has_given_up() const {
  for (std::size_t member = 0; member < members_.size(); ++member)
    if (block_->line(member, 0).has_given_up() || block_->line(member, 1).has_given_up())
      return true;
  return false;
}

int TeamState::whose_death_ends_fences() const {
  if (!must_look_for_deaths()) return -1;
  if (somebody_has_given_up()) return first_dead();
  return replica_->is_far() ? team::first_dead(space_, members_) : -1;
}

/// Who is a round behind may still read what this member has shown in it: so it shows nothing more
/// in rounds that can never be complete. What it has entered shall be seen everywhere: the node's
/// first member may have given up before it.
void TeamState::give_up() {
  gave_up_ = true;
  block_->line(static_cast<std::size_t>(me_), round_)
      .round.store(round_ | MemberLine::gave_up, std::memory_order_release);
  if (replica_->is_far()) replica_->send_line(me_, round_ | MemberLine::gave_up, read_);
  if (replica_->is_far() || !makers_.empty()) ring_members();
  if (is_flat() || me_ != replica_->leader()) return;
  block_->released.store(TeamBlock::never_more, std::memory_order_release);
  ring_members();
}

/// Of those who have made it, too: who has given up then has died for all others.
int TeamState::first_dead() const {
  const int member = team::first_dead(space_, members_);
  return member >= 0 ? member : team::first_dead(space_, makers_);
}

/// For one who gave up, or waits for one who did: whoever was missing then is dead now.
void TeamState::require_all_alive(const char* call) const {
  if (const int dead = first_dead(); dead >= 0)
    base::fail(Errc::rank_lost, fmt::format("{}: rank {} has died", call, dead));
}

void TeamState::round(const Agreed& agreed, std::size_t shown, const char* call) {
  ARMATURE_ASSERT(shown <= bytes_max);
  const Kind kind = agreed.kind;
  const std::uint64_t signature = signature_of(agreed, shown);
  // A barrier includes a fence: what was put before is there.
  if (net::Network* const net = net::network(); net != nullptr && is_barrier(kind))
    net->flush().to_reachable(call);
  if (gave_up_) require_all_alive(call);
  ++round_;
  read_ = agreed.read;
  publish(signature);
  try {
    await_members(agreed, call);
  } catch (...) {
    give_up();
    throw;
  }
  compare_signatures(signature, call);
}

}  // namespace armature::detail
