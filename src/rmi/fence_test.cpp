#include "rmi/fence.hpp"

#include <array>
#include <memory>
#include <new>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "progress/played_peer.hpp"
#include "team/known_teams.hpp"
#include "team/team_records.hpp"
#include "team/team_state.hpp"

namespace armature::rmi {
namespace {

using detail::TeamState;
using space::MemberLine;
using space::TeamBlock;

constexpr std::uint32_t team_id = 5;

progress::NetworkOptions options() {
  progress::NetworkOptions chosen;
  chosen.heartbeat_ns = 0;
  chosen.handlers = {team::KnownTeams::install};
  return chosen;
}

/// Rank 0 is in a team that ranks 0 to 2 make in a split, in a job that goes on after deaths.
class FenceOfPartTest : public testing::Test {
 protected:
  FenceOfPartTest() { net_.mapping().header().on_death = space::OnDeath::go_on; }

  std::shared_ptr<TeamState> make_team(std::initializer_list<std::int32_t> members) {
    space::AddressSpace::Failure failure;
    void* const memory = net_.space().allocate_sparse(TeamBlock::bytes(members.size()), failure);
    auto* const block = new (memory) TeamBlock;
    block->id = team_id;
    block->size = static_cast<std::uint32_t>(members.size());
    block->users = 1;
    std::copy(members.begin(), members.end(), block->ranks());
    constexpr std::array<std::int32_t, 3> makers{0, 1, 2};
    return std::make_shared<TeamState>(net_.space(), *block, 0, makers);
  }
  /// Rank 1, in the team's first round.
  void give_up() {
    net_.peer.say(transport::Kind::round, 1,
                  team::RoundRecord{team_id, 1, 1 | MemberLine::gave_up, 0, 0, 0, {}});
  }
  void lose_rank_2() {
    net_.mapping().slot(2).life = space::Life::dead;
    net_.mapping().header().deaths = 1;
  }

  progress::PlayedNetwork net_{options()};
};

TEST_F(FenceOfPartTest, ends_when_a_member_has_not_the_team_since_one_who_made_it_died) {
  const auto state = make_team({0, 1});
  give_up();
  state->round(TeamState::Kind::barrier, 0, 0, "barrier");  // rank 0 has the team
  Fences::OfTeam fence;
  fence.team = Team(state);
  fence.block = &state->block();
  fence.me = 0;
  fence.termination.begin();
  EXPECT_NE(fence.awaited(), 2);
  lose_rank_2();
  EXPECT_EQ(fence.awaited(), 2);
}

TEST_F(FenceOfPartTest, does_not_care_who_has_died_when_all_members_have_the_team) {
  const auto state = make_team({0, 1});
  net_.peer.say(transport::Kind::round, 1, team::RoundRecord{team_id, 1, 1, 0, 0, 0, {}});
  state->round(TeamState::Kind::barrier, 0, 0, "barrier");
  lose_rank_2();
  EXPECT_EQ(state->whose_death_ends_fences(), -1);
}

TEST_F(FenceOfPartTest, ends_in_a_team_on_one_node_too) {
  const auto state = make_team({0});
  state->block().line(0, 1).round = 1 | MemberLine::gave_up;
  EXPECT_EQ(state->whose_death_ends_fences(), -1);
  lose_rank_2();
  EXPECT_EQ(state->whose_death_ends_fences(), 2);
}

}  // namespace
}  // namespace armature::rmi
