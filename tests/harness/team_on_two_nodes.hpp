#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "harness/two_nodes.hpp"
#include "team/team_state.hpp"
#include "team/teams_of_rank.hpp"

namespace armature::harness {

/// A team of two nodes: rank 0 of a job that goes on after deaths, and what rank 1, on the other
/// node, tells of itself.
class TeamOnTwoNodes {
 public:
  static constexpr std::uint32_t id = 5;

  TeamOnTwoNodes();

  /// Rank 0 has been told that it is in a team, of these, that ranks 0 to 2 make in a split.
  std::shared_ptr<detail::TeamState> make(std::initializer_list<std::int32_t> members);
  static void enter_first_round(detail::TeamState& team);

  /// By rank 1: it is in that round of the team, a barrier.
  void say_round(std::uint64_t round);
  /// It gives that round up.
  void say_given_up(std::uint64_t round);
  void say_wave(std::uint64_t wave);
  void lose_rank_2();
  [[nodiscard]] TwoNodes& net() { return net_; }

 private:
  team::TeamsOfRank teams_;
  TwoNodes net_;
};

}  // namespace armature::harness
