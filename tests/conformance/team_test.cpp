#include <algorithm>
#include <numeric>

#include "conformance.hpp"

using namespace conformance;
using armature::Errc;
using armature::Rank;
using armature::Team;

namespace {

std::vector<Rank> every(int step, int first = 0) {
  std::vector<Rank> members;
  for (int rank = first; rank < ranks(); rank += step) members.emplace_back(rank);
  return members;
}

bool among(const std::vector<Rank>& members, int rank = me()) {
  return std::find(members.begin(), members.end(), Rank(rank)) != members.end();
}

/// Expects what must hold for a team of these members, in this order.
void expect_team(const Team& team, const std::vector<Rank>& members) {
  ASSERT_TRUE(team);
  ASSERT_EQ(team.size(), static_cast<int>(members.size()));
  for (int member = 0; member < team.size(); ++member) {
    const Rank rank = members[static_cast<std::size_t>(member)];
    EXPECT_EQ(team.world_rank(member), rank);
    EXPECT_EQ(team.member(rank), member);
    EXPECT_EQ(team.rank() == member, me() == rank);
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    if (!among(members, rank)) {
      EXPECT_EQ(team.member(rank), -1);
    }
  }
  std::vector<int> ranks_of_members(members.begin(), members.end());
  EXPECT_EQ(allgather(team, me()), ranks_of_members);
}

}  // namespace

TEST(Team, the_world_is_the_team_of_all) {
  std::vector<Rank> all = every(1);
  expect_team(world(), all);
  EXPECT_EQ(world().member(-1), -1);
  EXPECT_EQ(world().member(ranks()), -1);
}

TEST(Team, members_alone_create_a_team) {
  const auto evens = every(2);
  const auto odds = every(2, 1);
  const auto& mine = me() % 2 == 0 ? evens : odds;
  expect_team(Team::create(mine), mine);
}

TEST(Team, others_need_not_be_there_when_a_team_is_created) {
  if (ranks() < 3) GTEST_SKIP() << "needs 3 ranks";
  auto told = world().allocate<int>(1);
  const std::vector<Rank> two = {2, 1};
  if (me() != 0) {
    if (among(two)) {
      expect_team(Team::create(two), two);
      armature::put(told.on(0), 1);
    }
    world().fence(0);
  } else {  // comes to the barrier only after the team is made
    EXPECT_TRUE(eventually([&] { return armature::get(told.on(0)) == 1; }));
  }
  world().barrier();
  world().free(told);
}

TEST(Team, members_keep_the_order_in_which_they_are_named) {
  auto backwards = every(1);
  std::ranges::reverse(backwards);
  expect_team(Team::create(backwards), backwards);
}

TEST(Team, a_rank_can_be_a_team_alone) {
  const std::vector<Rank> alone = {me()};
  const Team team = Team::create(alone);
  expect_team(team, alone);
  team.barrier();
  EXPECT_EQ(allreduce(team, 5), 5);
  auto piece = team.allocate<int>(10);
  EXPECT_EQ(piece.on(0).rank(), me());
  team.free(piece);
}

TEST(Team, any_subsets_in_any_order_become_teams) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    auto members = every(1);
    std::ranges::shuffle(members, random);
    members.resize(1 + random() % members.size());
    if (among(members)) expect_team(Team::create(members), members);
  }
}

TEST(Team, teams_of_the_same_members_are_different_teams) {
  const auto members = every(1);
  const Team first = Team::create(members);
  const Team second = Team::create(members);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(allreduce(first, 1), ranks());
    EXPECT_EQ(allreduce(second, 2), 2 * ranks());
  }
}

TEST(Team, split_makes_one_team_for_each_color) {
  const int color = me() % 3;
  const Team team = world().split(color, me());
  expect_team(team, every(3, color));
}

TEST(Team, split_orders_members_by_key_then_by_rank) {
  auto backwards = every(1);
  std::ranges::reverse(backwards);
  expect_team(world().split(0, -me()), backwards);
  expect_team(world().split(0, 5), every(1));
}

TEST(Team, a_negative_color_takes_part_but_gets_no_team) {
  const Team team = world().split(me() % 2 == 0 ? 0 : -1, 0);
  EXPECT_EQ(static_cast<bool>(team), me() % 2 == 0);
  if (team) expect_team(team, every(2));
}

TEST(Team, duplicate_is_another_team_of_the_same_members) {
  const Team team = world().duplicate();
  expect_team(team, every(1));
  expect_team(team.duplicate(), every(1));
}

TEST(Team, teams_can_be_split_again_and_again) {
  Team team = world().duplicate();
  while (team.size() > 1) {
    const int half = team.size() / 2;
    const Team part = team.split(team.rank() < half ? 0 : 1, team.rank());
    EXPECT_EQ(part.size(), team.rank() < half ? half : team.size() - half);
    EXPECT_EQ(part.world_rank(part.rank()), me());
    team = part;
  }
  EXPECT_EQ(team.world_rank(0), me());
}

TEST(Team, a_copy_is_the_same_team) {
  const Team team = world().split(0, -me());
  const Team copy = team;
  EXPECT_EQ(copy.rank(), team.rank());
  EXPECT_EQ(allreduce((me() % 2 == 0 ? team : copy), 1), ranks());
}

TEST(Team, memory_can_be_allocated_on_a_team) {
  const auto members = every(2);
  if (among(members)) {
    const Team team = Team::create(members);
    auto piece = team.allocate<int>(100 + static_cast<std::size_t>(team.rank()));
    ASSERT_EQ(piece.members(), team.size());
    const int next = (team.rank() + 1) % team.size();
    EXPECT_EQ(piece.on(next).rank(), members[static_cast<std::size_t>(next)]);
    EXPECT_EQ(piece.size(next), 100U + static_cast<std::size_t>(next));
    armature::put(piece.on(next) + 99, me());
    team.barrier();
    EXPECT_EQ(piece[99], team.world_rank((team.rank() + team.size() - 1) % team.size()));
    team.barrier();
    team.free(piece);
  }
}

TEST(Team, ranks_outside_a_team_can_reach_its_memory) {
  const Team evens = world().split(me() % 2, me());
  auto piece = evens.allocate<int>(1);
  const auto zero = broadcast(world(), me() == 0 ? piece.on(0) : nullptr, 0);
  armature::accumulate(zero, me() + 1);
  world().barrier();
  EXPECT_EQ(armature::get(zero), ranks() * (ranks() + 1) / 2);
  world().barrier();
  evens.free(piece);
}

TEST(Team, memory_that_cannot_be_had_is_an_error_on_every_member_only) {
  const Team team = world().split(me() % 2, me());
  if (me() % 2 == 0) {
    expect_error(Errc::out_of_memory, {"allocate"},
                 [&] { (void)team.allocate<std::byte>(std::size_t{1} << 60); });
  }
  team.barrier();
}

TEST(Team, disjoint_teams_work_at_their_own_pace) {
  const Team team = world().split(me() % 2, me());
  const int rounds = me() % 2 == 0 ? 200 : 20;
  for (int i = 0; i < rounds; ++i) ASSERT_EQ(allreduce(team, i), i * team.size());
  world().barrier();
}

TEST(Team, teams_that_overlap_can_be_used_alternately) {
  const Team rows = world().split(me() / 2, me());
  const Team columns = world().split(me() % 2, me());
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(allreduce(rows, 1), rows.size());
    ASSERT_EQ(allreduce(columns, 1), columns.size());
  }
}

TEST(Team, mutexes_can_be_created_on_a_team) {
  const Team team = world().split(me() % 2, -me());
  auto counter = team.allocate<int>(1);
  auto mutexes = team.create_mutexes(1);
  for (int i = 0; i < 100; ++i) {
    const auto held = mutexes.guard(0, 0);
    armature::put(counter.on(0), armature::get(counter.on(0)) + 1);
  }
  team.barrier();
  EXPECT_EQ(armature::get(counter.on(0)), 100 * team.size());
  team.destroy_mutexes(mutexes);
  team.free(counter);
}

TEST(Team, hundreds_of_teams_can_be_made) {
  for (int i = 0; i < 300; ++i) {
    const Team team = world().split(i % 2, me());
    ASSERT_EQ(team.size(), ranks());
  }
}

TEST(Team, bad_lists_of_members_are_errors) {
  const auto create = [](std::vector<Rank> members) {
    return [members] { (void)Team::create(members); };
  };
  expect_error(Errc::bad_argument, {"Team::create"}, create({me(), me()}));
  expect_error(Errc::bad_argument, {"Team::create"}, create({}));
  expect_error(Errc::bad_rank, {"Team::create"}, create({me(), ranks()}));
  expect_error(Errc::bad_rank, {"Team::create"}, create({-1, me()}));
  if (ranks() > 1) {
    expect_error(Errc::bad_argument, {"Team::create"}, create({right()}));
  }
}

TEST(Team, members_that_are_not_there_are_errors) {
  const Team team = world().split(me() % 2, me());
  for (const int member : {-1, team.size(), 1 << 30})
    expect_error(Errc::bad_rank, {"world_rank"}, [&] { (void)team.world_rank(member); });
}

TEST(Team, an_empty_team_can_do_nothing) {
  const Team none;
  EXPECT_FALSE(none);
  expect_error(Errc::misuse, {"rank"}, [&] { (void)none.rank(); });
  expect_error(Errc::misuse, {"size"}, [&] { (void)none.size(); });
  expect_error(Errc::misuse, {"barrier"}, [&] { none.barrier(); });
  expect_error(Errc::misuse, {"split"}, [&] { (void)none.split(0, 0); });
  expect_error(Errc::misuse, {"allocate"}, [&] { (void)none.allocate<int>(1); });
  expect_error(Errc::misuse, {"allreduce"}, [&] { (void)allreduce(none, 1); });
  expect_error(Errc::misuse, {"create_mutexes"}, [&] { (void)none.create_mutexes(1); });
}
