#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "armature/rank.hpp"
#include "space/mapping.hpp"
#include "team/dead_ranks.hpp"
#include "wait/rank_context.hpp"

namespace armature::detail {
class TeamState;
}

// Giving up while a team is made, in a job that goes on after deaths. A rank that waits gives up as
// soon as any of the makers is dead, as far as known here. Others need not be told that it does:
// they hear of the death by themselves, whatever overtakes it. docs/internals/rounds.md.

namespace armature::team {

/// A call that makes a team, or several, as one of those sees it who must take part.
class Making {
 public:
  /// By the members alone.
  Making(wait::RankContext& me, std::span<const Rank> members, std::uint64_t call);
  /// By all members of a team that is split, before they agree how: in rounds of that team.
  Making(wait::RankContext& me, detail::TeamState& split);

  /// The number of the call, which is the same at all members. Two calls of the same members have
  /// the same number; but after a call that was given up, the next ones end at once. A split has no
  /// number, since it sends nothing.
  [[nodiscard]] std::uint64_t call() const { return call_; }
  /// The ranks whose deaths end it; none where nobody needs to look for them.
  [[nodiscard]] std::span<const std::int32_t> makers() const { return makers_; }
  /// The first dead of these; -1 when none is known.
  [[nodiscard]] int first_dead() const { return team::first_dead(me_.space, makers_); }
  void require_all_alive() const;

  /// After a death.
  void give_up();

 private:
  wait::RankContext& me_;
  detail::TeamState* split_ = nullptr;
  std::uint64_t call_ = 0;
  std::vector<std::int32_t> makers_;
};

}  // namespace armature::team
