#include "team/pipelined_round.hpp"

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "wait/cost_model.hpp"
#include "wait/notifier.hpp"
#include "wait/wait.hpp"

namespace armature::team {

using detail::TeamState;
using space::MemberLine;
using space::PipelinedLine;
using space::TeamBlock;

bool PipelinedRound::is_for(const TeamState& team) {
  return team.size() > 1 && static_cast<std::size_t>(team.size()) <= TeamBlock::pipeline_members &&
         !team.proxy().is_far() && !team.space().checks_in_full() &&
         wait::CostModel::of_job() == nullptr;
}

namespace {

/// A round in which members compare what they have called.
void meet(TeamState& team, const char* call) {
  team.round({RoundKind::meeting, team.lines().pipeline().calls()}, 0, call);
}

}  // namespace

PipelinedRound::PipelinedRound(TeamState& team, const Agreed& agreed, const char* call,
                               std::size_t shown)
    : team_(team),
      lines_(team.lines().pipeline()),
      agreed_(agreed),
      shown_(shown),
      signature_(signature_of(agreed, 0, team.lines().user_call())),
      call_(call) {
  if (team.has_given_up()) team.deaths().require_all_alive(call);
  if (lines_.is_full()) meet(team, call);
  lines_.begin_step(shown);
}

void PipelinedRound::free_staging(TeamState& team, const char* call) {
  if (team.lines().pipeline().uses_staging()) meet(team, call);
}

void PipelinedRound::enter(bool has_failed) { lines_.enter(team_.rank(), signature_, has_failed); }

void PipelinedRound::notify(int member) const {
  wait::notify(team_.space().slot(team_.members()[static_cast<std::size_t>(member)]));
}

void PipelinedRound::notify_all() const {
  for (int member = 0; member < team_.size(); ++member)
    if (member != team_.rank()) notify(member);
}

const std::byte* PipelinedRound::await(int member) const {
  if (!lines_.has_entered(member)) [[unlikely]]
    wait_for(member, 0);
  const MemberLine& line = lines_.line(member);
  if (line.signature != signature_) [[unlikely]] {
    if (line.signature == (signature_ | Pipeline::failed)) return nullptr;
    disagree(member, line.signature);
  }
  const std::byte* const shown = room(member);
  if (member != team_.rank()) base::mark_defined(shown, shown_);
  return shown;
}

void PipelinedRound::await_reader(int member, std::uint32_t back) const {
  if (!lines_.has_entered(member, back)) wait_for(member, back);
}

const std::byte* PipelinedRound::own() const {
  const std::byte* const shown = room(team_.rank());
  base::mark_defined(shown, shown_);
  return shown;
}

namespace {

/// Whether the member whose line is waited for has still to enter.
bool is_missing(const wait::WaitFor& wait, std::size_t /*the only one*/) {
  auto& block = *static_cast<TeamBlock*>(const_cast<void*>(wait.object));
  const PipelinedLine line = PipelinedLine::of(wait.detail);
  return block.line(line).round.load(std::memory_order_acquire) < line.number();
}

}  // namespace

void PipelinedRound::wait_for(int member, std::uint32_t back) const {
  TeamBlock& block = team_.block();
  const auto who = static_cast<std::size_t>(member);
  wait::WaitFor wait{.what = space::Awaiting::collective,
                     .members = team_.members().subspan(who, 1),
                     .awaits = is_missing,
                     .team = team_.id(),
                     .object = &block,
                     .detail = lines_.name(member, back).detail(),
                     .call = call_};
  // A member in a later round has entered this one before, or never will. It is looked at first:
  // who acquires its line there sees all that it has done before.
  const std::uint64_t next = team_.lines().round() + 1;
  bool has_entered = false, has_given_up = false, is_elsewhere = false;
  try {
    wait::wait_until(wait, [&] {
      has_given_up = block.line(who, 0).has_given_up() || block.line(who, 1).has_given_up();
      is_elsewhere = block.line(who, next).round.load(std::memory_order_acquire) >= next;
      has_entered = lines_.has_entered(member, back);
      return has_entered || has_given_up || is_elsewhere;
    });
    if (!has_entered && has_given_up) team_.deaths().require_all_alive(call_);
  } catch (...) {
    team_.give_up();
    // It may have left the job for a death that it alone knew: of a member that nobody waits for
    // here.
    team_.deaths().require_all_alive(call_);
    throw;
  }
  if (!has_entered) disagree(member, block.line(who, next).signature);
}

/// Enters a round with what it has called here. So all others that are in a round, or wait for this
/// member, learn of it, and all throw.
void PipelinedRound::disagree(int member, std::uint64_t theirs) const {
  const auto rank_of = [&](int of) { return team_.members()[static_cast<std::size_t>(of)]; };
  const std::string text =
      text_of_disagreement(theirs, rank_of(member), signature_, rank_of(team_.rank()), call_);
  try {
    team_.round(agreed_, 0, call_);
  } catch (const Error& error) {
    if (error.code() != Errc::bad_argument) throw;
  }
  lines_.forget_calls();
  base::fail(Errc::bad_argument, text);
}

}  // namespace armature::team
