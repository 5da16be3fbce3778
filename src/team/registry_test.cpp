#include "team/registry.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "armature/team.hpp"
#include "harness/team_on_two_nodes.hpp"
#include "net/network.hpp"
#include "team/teams_of_rank.hpp"
#include "wait/rank_context.hpp"

namespace armature::team {
namespace {

class RegistryTest : public testing::Test {
 protected:
  /// Once all that rank 1 has said has come.
  std::size_t kept() {
    EXPECT_TRUE(team_.net().until([&] { return team_.net().peer.is_heard_out(); }));
    const transport::Links::Lock locked(net::network()->links().lock());
    return Registry::kept();
  }

  harness::TeamOnTwoNodes team_;
};

TEST_F(RegistryTest, what_comes_before_a_member_has_its_team_is_there_when_it_has) {
  team_.say_round(1);
  EXPECT_EQ(kept(), 1U);
  const auto state = team_.make({0, 1});
  harness::TeamOnTwoNodes::enter_first_round(*state);
  EXPECT_EQ(kept(), 0U);
}

// Their ids are unique in the job, and have 32 bits.
TEST_F(RegistryTest, a_rank_that_has_made_all_teams_it_can_is_told_so) {
  teams_of(wait::this_rank("test")).made = UINT32_MAX / 3;
  const std::array<Rank, 1> alone{Rank(0)};
  try {
    (void)Team::create(alone);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("teams"), std::string::npos) << error.what();
  }
}

TEST_F(RegistryTest, of_a_team_that_was_given_up_nothing_is_kept) {
  team_.say_round(1);
  team_.say_given_up(1);
  EXPECT_EQ(kept(), 0U);
}

TEST_F(RegistryTest, who_comes_to_a_team_that_was_given_up_hears_of_the_death) {
  team_.say_given_up(1);
  EXPECT_EQ(kept(), 0U);
  const auto state = team_.make({0, 1});
  team_.lose_rank_2();
  EXPECT_THROW(harness::TeamOnTwoNodes::enter_first_round(*state), Error);
}

TEST_F(RegistryTest, nothing_is_kept_of_a_team_that_is_gone) {
  harness::TeamOnTwoNodes::enter_first_round(*[&] {
    team_.say_round(1);
    return team_.make({0, 1});
  }());
  team_.say_round(2);
  team_.say_wave(1);
  team_.say_given_up(2);
  EXPECT_EQ(kept(), 0U);
}

}  // namespace
}  // namespace armature::team
