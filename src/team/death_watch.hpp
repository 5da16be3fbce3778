#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "space/mapping.hpp"
#include "team/lines.hpp"
#include "team/members.hpp"

namespace armature::team {

/// Watches for deaths that end what a member of a team waits for. docs/internals/rounds.md
class DeathWatch {
 public:
  /// `makers`: whose deaths end the making of the team, where that is so (making.hpp). All must
  /// live as long.
  DeathWatch(const space::Mapping& job, const Members& members, const Lines& lines,
             std::span<const std::int32_t> makers)
      : job_(job), members_(members), lines_(lines), makers_(makers.begin(), makers.end()) {}

  /// Whether members are on other nodes.
  void reaches_other_nodes(bool reaches) { is_far_ = reaches; }
  [[nodiscard]] bool has_makers() const { return !makers_.empty(); }

  /// The first dead rank of the members and of the makers of the team; -1: nobody is dead, as far
  /// as known here. Makers count, since one that gave up while the team was made is dead for all
  /// others.
  [[nodiscard]] int first_dead() const;
  /// For one who gave up, or waits for one who did: whoever was missing then is dead now. Throws
  /// Error(rank_lost).
  void require_all_alive(const char* call) const;

  /// Whether a death keeps the round that this member is in from being complete ever. Besides, who
  /// waits for a dead member's line on this node gives up (wait/wait.hpp).
  [[nodiscard]] bool ends_round() const { return must_look() && round_will_not_be_complete(); }
  /// The rank whose death ends the fences of the team; -1: nobody's does, as far as known here.
  /// docs/internals/fence.md
  [[nodiscard]] int ends_fences() const;

 private:
  [[nodiscard]] bool must_look() const {
    return (is_far_ || has_makers()) &&
           job_.header().gone.deaths.load(std::memory_order_acquire) != 0;
  }
  [[nodiscard]] bool round_will_not_be_complete() const;

  const space::Mapping& job_;
  const Members& members_;
  const Lines& lines_;
  const std::vector<std::int32_t> makers_;
  bool is_far_ = false;
};

}  // namespace armature::team
