#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <new>

#include "net/played_peer.hpp"
#include "team/registry.hpp"
#include "team/team_records.hpp"
#include "team/team_state.hpp"
#include "team/teams_of_rank.hpp"

// Unit tests of teams of several nodes: rank 0 of a job that goes on after deaths, and what rank 1,
// on the other node, tells of itself.

namespace armature::team {

class PlayedTeam {
 public:
  static constexpr std::uint32_t id = 5;

  PlayedTeam() {
    net_.mapping().header().on_death = space::OnDeath::go_on;
    teams_slot.put(net_.context().slots, &teams_);
  }

  /// Rank 0 has been told that it is in a team, of these, that ranks 0 to 2 make in a split.
  std::shared_ptr<detail::TeamState> make(std::initializer_list<std::int32_t> members) {
    space::AddressSpace::Failure failure;
    const std::size_t bytes = space::TeamBlock::bytes(members.size());
    auto* const block = new (net_.space().allocate_sparse(bytes, failure)) space::TeamBlock;
    block->id = id;
    block->size = static_cast<std::uint32_t>(members.size());
    block->users = 1;
    std::copy(members.begin(), members.end(), block->ranks());
    constexpr std::array<std::int32_t, 3> makers{0, 1, 2};
    return std::make_shared<detail::TeamState>(net_.space(), *block, 0, makers);
  }
  static void enter_first_round(detail::TeamState& team) {
    team.round({detail::TeamState::Kind::barrier}, 0, "barrier");
  }

  /// By rank 1: it is in that round of the team, a barrier.
  void say_round(std::uint64_t round) {
    net_.peer.say(Kind::round, 1, RoundRecord{id, 1, round, 0, 0, 0, {}});
  }
  /// It gives that round up.
  void say_given_up(std::uint64_t round) { say_round(round | space::MemberLine::gave_up); }
  void say_wave(std::uint64_t wave) {
    net_.peer.say(Kind::wave, 1, WaveRecord{id, 1, wave, 0, 0, {}});
  }
  void lose_rank_2() {
    net_.mapping().slot(2).life = space::Life::dead;
    net_.mapping().header().deaths = 1;
  }
  [[nodiscard]] net::PlayedNetwork& net() { return net_; }

 private:
  static net::NetworkOptions options() {
    net::NetworkOptions chosen;
    chosen.heartbeat_ns = 0;
    chosen.services = {&service};
    return chosen;
  }

  TeamsOfRank teams_;
  net::PlayedNetwork net_{options()};
};

}  // namespace armature::team
