#include "team/adaptive.hpp"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "team/team_state.hpp"
#include "wait/cost_model.hpp"
#include "wait/rank_context.hpp"
#include "wait/trace.hpp"

namespace armature::team {
namespace {

std::string_view setting_of_job() {
  const char* const text = std::getenv(collectives_variable);
  return text == nullptr ? name_of(Way::usual) : text;
}

/// Whether the team's calls go their usual way. A simulation repeats exactly, and what it predicts
/// takes no time here.
bool goes_its_usual_way(const detail::TeamState& team, const char* name) {
  return setting_of_job() == name_of(Way::usual) ||
         team.space().header().settings.reproducible != 0 || wait::CostModel::of_job() != nullptr ||
         wait::this_rank(name).fault_model != nullptr;
}

/// Rounds of its own are read by all, also where the root alone reads the call's.
Agreed read_by_all(Agreed agreed) {
  agreed.read = {};
  return agreed;
}

/// How many of the ways, from the first on, a kind of call has.
std::size_t ways_of(RoundKind kind) { return kind == RoundKind::allreduce ? 4 : 3; }

}  // namespace

/// The members agree about it once, before they go by it: with another one a member would wait for
/// messages that nobody sends.
void Adaptive::find_setting(const Agreed& agreed, const char* name) {
  const std::string_view wanted = setting_of_job();
  const std::optional<Way> way = way_named(wanted);
  const bool is_adaptive = wanted == "adaptive";
  if (!is_adaptive && !way)
    base::fail(Errc::bad_argument,
               fmt::format("{}: {}={}: it can be usual, adaptive, rounds, halving or doubling",
                           name, collectives_variable, wanted));
  fixed_ = way.value_or(Way::usual);
  const std::uint8_t shown = is_adaptive ? 255 : static_cast<std::uint8_t>(fixed_);
  std::memcpy(team_.lines().outgoing(sizeof shown), &shown, sizeof shown);
  team_.round(read_by_all(agreed), sizeof shown, name);
  for (int member = 0; member < team_.size(); ++member)
    if (team_.lines().shown_by(member) != sizeof shown ||
        std::to_integer<std::uint8_t>(*team_.lines().incoming(member, sizeof shown)) != shown)
      base::fail(Errc::bad_argument, fmt::format("{}: {} differs between member {} and member {}",
                                                 name, collectives_variable, member, team_.rank()));
  setting_ = is_adaptive ? Setting::adaptive : Setting::fixed;
}

Adaptive::Key Adaptive::key_of(const Agreed& agreed) const {
  return {agreed.kind, team_.lines().user_call().load(std::memory_order_relaxed),
          static_cast<unsigned>(std::bit_width(agreed.bytes))};
}

Adaptive::Row& Adaptive::row_of(const Agreed& agreed) {
  const Key key = key_of(agreed);
  const auto found = rows_.find(key);
  if (found != rows_.end()) return found->second;
  Row& row = rows_.emplace(key, ways_of(agreed.kind)).first->second;
  if (rows_.size() <= space::TeamBlock::learned_max) row.place = static_cast<int>(rows_.size()) - 1;
  show(key, row);
  return row;
}

/// A round in which members show their notes.
void Adaptive::meet(Row& row, const Agreed& agreed, const char* name) {
  const auto notes = row.learner.notes();
  std::memcpy(team_.lines().outgoing(notes.size_bytes()), notes.data(), notes.size_bytes());
  team_.round(read_by_all(agreed), notes.size_bytes(), name);
  std::vector<std::uint32_t> of_one(notes.size());
  row.learner.agree(static_cast<std::size_t>(team_.size()), [&](std::size_t member) {
    const auto* const bytes = team_.lines().incoming(static_cast<int>(member), notes.size_bytes());
    std::memcpy(of_one.data(), bytes, notes.size_bytes());
    return std::span<const std::uint32_t>(of_one);
  });
}

/// All members write the same.
void Adaptive::show(const Key& key, const Row& row) {
  if (row.place < 0) return;
  const Learner& learner = row.learner;
  const auto& [kind, part_of, length_class] = key;
  const Learned learned{.kind = kind,
                        .part_of = part_of,
                        .length_class = length_class,
                        .way = learner.tries() ? Way::usual : static_cast<Way>(learner.way()),
                        .tries = learner.tries(),
                        .changes = learner.changes(),
                        .ns = learner.ns(),
                        .skew_ns = learner.skew_ns()};
  team_.block().learned[row.place].store(learned.word(), std::memory_order_relaxed);
}

Adaptive::Call::Call(detail::TeamState& team, const Agreed& agreed, const char* name)
    : agreed_(agreed), name_(name) {
  if (team.adaptive == nullptr) {
    // Teams that learn nothing take no memory for it.
    if (goes_its_usual_way(team, name)) return;
    team.adaptive = std::make_shared<Adaptive>(team);
  }
  Adaptive& all = *team.adaptive;
  if (all.setting_ == Setting::unknown) all.find_setting(agreed, name);
  if (all.setting_ == Setting::fixed) {
    way_ = all.fixed_;
    return;
  }
  Row& row = all.row_of(agreed);
  if (row.learner.is_due()) {
    all.meet(row, agreed, name);
    all.show(all.key_of(agreed), row);
  }
  all_ = &all;
  learner_ = &row.learner;
  way_ = static_cast<Way>(learner_->way());
  begun_ns_ = base::now_ns();
}

// A call that fails counts, too: it fails at all members, or the team has no later ones.
Adaptive::Call::~Call() {
  if (all_ == nullptr) return;
  const std::uint64_t now_ns = base::now_ns();
  learner_->note(now_ns - begun_ns_);
  if (wait::traces())
    wait::trace(
        {.kind = wait::TraceEvent::Kind::phase,
         .rank = all_->team_.space().me(),
         .what = wait::trace_name(fmt::format("{} below {} bytes by {}{}", name_,
                                              std::uint64_t{1} << std::bit_width(agreed_.bytes),
                                              name_of(way_), learner_->tries() ? ", tried" : "")),
         .begin_ns = begun_ns_,
         .end_ns = now_ns});
}

}  // namespace armature::team
