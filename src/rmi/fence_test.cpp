#include "rmi/fence.hpp"

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "harness/team_on_two_nodes.hpp"

namespace armature::rmi {
namespace {

using detail::TeamState;
using harness::TeamOnTwoNodes;
using space::MemberLine;

TEST(Fence, ends_when_a_member_has_not_the_team_since_one_who_made_it_died) {
  TeamOnTwoNodes team;
  const auto state = team.make({0, 1});
  team.say_given_up(1);
  TeamOnTwoNodes::enter_first_round(*state);  // rank 0 has the team
  Fences::OfTeam fence;
  fence.team = Team(state);
  fence.block = &state->block();
  fence.me = 0;
  fence.termination.begin();
  EXPECT_NE(fence.awaited(), 2);
  team.lose_rank_2();
  EXPECT_EQ(fence.awaited(), 2);
}

TEST(Fence, does_not_care_who_has_died_when_all_members_have_the_team) {
  TeamOnTwoNodes team;
  const auto state = team.make({0, 1});
  team.say_round(1);
  TeamOnTwoNodes::enter_first_round(*state);
  team.lose_rank_2();
  EXPECT_EQ(state->deaths().ends_fences(), -1);
}

TEST(Fence, ends_by_such_a_death_in_a_team_on_one_node_too) {
  TeamOnTwoNodes team;
  const auto state = team.make({0});
  state->block().line(0, 1).round = 1 | MemberLine::gave_up;
  EXPECT_EQ(state->deaths().ends_fences(), -1);
  team.lose_rank_2();
  EXPECT_EQ(state->deaths().ends_fences(), 2);
}

}  // namespace
}  // namespace armature::rmi
