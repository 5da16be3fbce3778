// Every strategy on problems whose best is known.
#include "armature/balance.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <locale>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "balance/links.hpp"

namespace armature::balance {
namespace {

/// All items of a line of neighbours begin in blocks; one end has much more to do.
Problem drifted(int places, std::size_t each) {
  Problem problem{.places = places};
  const std::size_t count = static_cast<std::size_t>(places) * each;
  std::mt19937_64 random(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double noise = 0.5 + static_cast<double>(random() % 1000) / 1000;
    problem.items.push_back(
        {.load = (i < count / 4 ? 8 : 1) * noise, .place = static_cast<int>(i / each)});
    if (i > 0) problem.links.push_back({.a = i - 1, .b = i, .weight = 1});
  }
  return problem;
}

double ideal(const Problem& problem, const Plan& plan) {
  const Verdict verdict = judge(problem, plan);
  return verdict.mean / verdict.most;
}

TEST(Balance, every_strategy_comes_near_ideal) {
  for (const int places : {1, 2, 3, 8, 32}) {
    const Problem problem = drifted(places, 40);
    for (const std::string& name : strategy_names()) {
      const double reached = ideal(problem, strategy(name)(problem));
      if (name == "none") {
        if (places > 2) {
          EXPECT_LT(reached, 0.6);
        }
      } else {
        EXPECT_GE(reached, 0.95) << name << ' ' << places;
      }
    }
  }
}

/// The central one is greedy, the best of all.
TEST(Balance, distributed_ends_near_the_central_strategy_with_4096_places) {
  for (const std::size_t each : {4, 16}) {
    const Problem problem = drifted(4096, each);
    EXPECT_LE(judge(problem, distributed(problem)).most,
              1.1 * judge(problem, greedy(problem)).most);
  }
}

TEST(Balance, distributed_takes_many_items_from_one_place) {
  for (const int places : {2, 3, 64}) {
    Problem problem{.places = places};
    for (int i = 0; i < 30'000; ++i) problem.items.push_back({.load = 1.0 + i % 1000});
    EXPECT_GE(ideal(problem, distributed(problem)), 0.95) << places;
  }
}

/// Places of which some are much slower than others.
TEST(Balance, distributed_ends_near_the_central_strategy_where_places_are_slow) {
  for (const int places : {2, 3, 8, 64}) {
    Problem problem = drifted(places, 40);
    for (int place = 0; place < places; ++place)
      problem.speeds.push_back(place % 4 == 1 ? 0.2 : place % 4 == 2 ? 0.5 : 1.0);
    EXPECT_LE(judge(problem, distributed(problem)).most, 1.1 * judge(problem, greedy(problem)).most)
        << places;
  }
}

/// Places that are a third, a half and as fast as the fastest one.
TEST(Balance, every_strategy_minds_how_fast_places_are) {
  for (const int places : {2, 3, 8, 32}) {
    Problem problem = drifted(places, 40);
    for (int place = 0; place < places; ++place)
      problem.speeds.push_back(place % 3 == 0 ? 1.0 : place % 3 == 1 ? 0.5 : 1.0 / 3);
    for (const std::string& name : strategy_names()) {
      const Plan plan = strategy(name)(problem);
      if (name != "none") {
        EXPECT_GE(ideal(problem, plan), 0.9) << name << ' ' << places;
      }
      std::vector<double> seconds(static_cast<std::size_t>(places));
      for (std::size_t i = 0; i < plan.size(); ++i) {
        const auto place = static_cast<std::size_t>(plan[i]);
        seconds[place] += problem.items[i].load / problem.speeds[place];
      }
      EXPECT_NEAR(judge(problem, plan).most, std::ranges::max(seconds), 1e-9) << name;
    }
  }
}

/// The third place is so slow that one item takes longer there than all at the first.
TEST(Balance, a_slow_place_without_items_keeps_nobody_from_better_ones) {
  const Problem problem{
      .items = {{1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 1}}, .places = 3, .speeds = {1, 1, 0.1}};
  for (const std::string& name : strategy_names()) {
    if (name == "none" || name == "distributed") continue;
    EXPECT_DOUBLE_EQ(judge(problem, strategy(name)(problem)).most, 3) << name;
  }
}

TEST(Balance, places_of_one_speed_are_as_if_none_were_told) {
  Problem problem = drifted(8, 30);
  problem.groups = {0, 0, 0, 0, 1, 1, 1, 1};
  std::vector<Plan> plans;
  for (const std::string& name : strategy_names())
    if (name != "communication" && name != "chosen") plans.push_back(strategy(name)(problem));
  problem.speeds.assign(8, 1);
  std::size_t next = 0;
  for (const std::string& name : strategy_names())
    if (name != "communication" && name != "chosen") {
      EXPECT_EQ(strategy(name)(problem), plans[next++]) << name;
    }
}

/// Groups of unlike size: each gets by the number of its places.
TEST(Balance, hierarchical_minds_how_many_places_a_group_has) {
  Problem problem = drifted(8, 40);
  problem.groups = {0, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_GE(ideal(problem, hierarchical(problem)), 0.95);
}

TEST(Balance, chosen_minds_links) {
  Problem problem{.places = 2};
  for (std::size_t i = 0; i < 64; ++i) {
    problem.items.push_back({.load = 1, .place = static_cast<int>(i % 2)});
    if (i % 2 == 1) problem.links.push_back({.a = i - 1, .b = i, .weight = 5});
  }
  const Verdict verdict = judge(problem, chosen(problem));
  EXPECT_EQ(verdict.cut, 0);
  EXPECT_DOUBLE_EQ(verdict.most, 32);
}

TEST(Balance, distributed_is_known_as_such) {
  EXPECT_TRUE(is_distributed(distributed) && is_distributed(strategy("distributed")));
  EXPECT_FALSE(is_distributed(greedy) || is_distributed({}));
  EXPECT_FALSE(is_distributed([](const Problem& problem) { return none(problem); }));
}

TEST(Balance, refine_takes_many_items_from_one_place) {
  Problem problem{.places = 64};
  std::mt19937_64 random(1);
  for (int i = 0; i < 30'000; ++i)
    problem.items.push_back({.load = 1.0 + static_cast<double>(random() % 1000), .place = 0});
  EXPECT_GE(ideal(problem, refine(problem)), 0.97);
}

TEST(Balance, the_same_problem_gives_the_same_plan) {
  const Problem problem = drifted(8, 30);
  for (const std::string& name : strategy_names())
    EXPECT_EQ(strategy(name)(problem), strategy(name)(problem)) << name;
}

TEST(Balance, refine_moves_little_and_nothing_where_all_is_well) {
  const Problem problem = drifted(8, 40);
  EXPECT_LT(judge(problem, refine(problem)).moved, judge(problem, greedy(problem)).moved / 2);
  Problem even{.places = 4};
  for (int i = 0; i < 40; ++i) even.items.push_back({.load = 1, .place = i % 4});
  for (const char* name : {"refine", "communication", "hierarchical", "distributed", "chosen"})
    EXPECT_EQ(judge(even, strategy(name)(even)).moved, 0U) << name;
}

TEST(Balance, what_was_not_measured_stays) {
  Problem problem{.places = 4};
  for (int i = 0; i < 40; ++i) problem.items.push_back({.place = i / 10});
  for (std::size_t i = 1; i < 40; ++i) problem.links.push_back({.a = i - 1, .b = i, .weight = 1});
  for (const std::string& name : strategy_names()) {
    const Plan plan = strategy(name)(problem);
    EXPECT_EQ(judge(problem, plan).moved, 0U) << name;
    EXPECT_THAT(explain(problem, plan), testing::HasSubstr("nothing was measured")) << name;
  }
  problem.items[38].load = problem.items[39].load = 1;
  EXPECT_EQ(judge(problem, greedy(problem)).moved, 1U);
}

TEST(Balance, greedy_lets_items_stay_where_another_place_is_as_good) {
  Problem problem{.places = 4};
  for (int i = 0; i < 40; ++i) problem.items.push_back({.load = 1, .place = 3 - i % 4});
  EXPECT_EQ(judge(problem, greedy(problem)).moved, 0U);
}

TEST(Balance, greedy_is_within_a_third_of_the_best) {
  // The classical worst case for two places: 3 3 2 2 2, where 6 and 6 is best.
  Problem problem{.places = 2};
  for (const double load : {3, 3, 2, 2, 2}) problem.items.push_back({.load = load});
  EXPECT_DOUBLE_EQ(judge(problem, greedy(problem)).most, 7);
  EXPECT_DOUBLE_EQ(judge(problem, greedy(problem)).mean, 6);
}

TEST(Balance, communication_cuts_fewer_links) {
  // Pairs that have only to do with each other, and lie apart.
  Problem problem{.places = 4};
  for (std::size_t i = 0; i < 64; ++i) {
    problem.items.push_back({.load = 1, .place = static_cast<int>(i % 4)});
    if (i % 2 == 1) problem.links.push_back({.a = i - 1, .b = i, .weight = 5});
  }
  problem.items[0].load = 1.5;
  const Plan plan = communication(problem);
  EXPECT_LT(judge(problem, plan).cut, judge(problem, greedy(problem)).cut);
  EXPECT_GE(ideal(problem, plan), 0.8);
}

TEST(Balance, hierarchical_moves_less_between_groups) {
  Problem problem = drifted(8, 40);
  problem.groups = {0, 0, 0, 0, 1, 1, 1, 1};
  const auto between = [&](const Plan& plan) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < plan.size(); ++i)
      count += (plan[i] < 4) != (problem.items[i].place < 4) ? 1 : 0;
    return count;
  };
  EXPECT_LT(between(hierarchical(problem)), between(greedy(problem)) / 2);
}

TEST(Balance, nothing_to_do_and_one_item_are_problems_too) {
  for (const std::string& name : strategy_names()) {
    EXPECT_EQ(strategy(name)(Problem{.places = 3}), Plan());
    Problem one{.items = {{.load = 2, .place = 1}}, .places = 3};
    EXPECT_EQ(strategy(name)(one).size(), 1U);
    one.items[0].load = 0;
    EXPECT_EQ(judge(one, strategy(name)(one)).most, 0);
  }
}

/// Two switches of two nodes with two sockets of two places each.
Problem of_levels() {
  Problem problem{.places = 16, .groups = {}, .levels = {{}, {}, {}}};
  for (int place = 0; place < 16; ++place) {
    problem.groups.push_back(place / 4);
    problem.levels[0].push_back(place / 8);
    problem.levels[1].push_back(place / 4);
    problem.levels[2].push_back(place / 2);
  }
  return problem;
}

/// How many items change their group of that level.
int changes(const Problem& problem, const Plan& plan, std::size_t level) {
  const auto group = [&](int place) {
    return problem.levels[level][static_cast<std::size_t>(place)];
  };
  int count = 0;
  for (std::size_t i = 0; i < plan.size(); ++i)
    count += group(plan[i]) != group(problem.items[i].place) ? 1 : 0;
  return count;
}

TEST(Balance, hierarchical_knows_all_levels) {
  // The sockets of each node, and so on, are even only within it: nothing need leave.
  for (const std::size_t level : {0U, 1U, 2U}) {
    Problem problem = of_levels();
    const int places = level == 0 ? 8 : level == 1 ? 4 : 2;
    for (int place = 0; place < problem.places; ++place)
      for (int i = 0; i < (place % places == 0 ? 10 * places : 0); ++i)
        problem.items.push_back({.load = 1, .place = place});
    const Plan plan = hierarchical(problem);
    EXPECT_GE(ideal(problem, plan), 0.9) << level;
    for (std::size_t wider = 0; wider <= level; ++wider)
      EXPECT_EQ(changes(problem, plan, wider), 0);
    EXPECT_GT(judge(problem, plan).moved, 0U);
    Problem flat = problem;
    flat.levels.clear();
    flat.groups.clear();
    EXPECT_GT(changes(problem, greedy(flat), level), 0) << "any balance would do that";
  }
}

TEST(Balance, chosen_and_communication_take_levels) {
  Problem problem = of_levels();
  // Pairs of items that are linked begin at places of two switches.
  for (std::size_t i = 0; i < 64; ++i)
    problem.items.push_back({.load = 1, .place = static_cast<int>((i % 2) * 8 + i / 8)});
  for (std::size_t i = 0; i < 64; i += 2)
    problem.links.push_back({.a = i, .b = i + 1, .weight = 10});
  for (const char* name : {"communication", "chosen"}) {
    const Plan plan = strategy(name)(problem);
    EXPECT_GE(ideal(problem, plan), 0.9) << name;
    int apart = 0;
    for (std::size_t i = 0; i < 64; i += 2) apart += plan[i] != plan[i + 1] ? 1 : 0;
    EXPECT_LE(apart, 8) << name;
  }
}

TEST(Links, a_link_costs_more_the_wider_apart_its_ends_are) {
  Problem problem = of_levels();
  problem.items = {{.load = 1, .place = 0}, {.load = 1, .place = 0}};
  problem.links = {{.a = 0, .b = 1, .weight = 1}};
  const Links links(problem);
  std::vector<double> costs;
  for (const int place : {0, 1, 2, 4, 8}) {
    problem.items[1].place = place;  // no move
    costs.push_back(links.cost(Plan{0, place}));
  }
  EXPECT_EQ(costs[0], 0);
  for (std::size_t i = 1; i < costs.size(); ++i) EXPECT_GT(costs[i], costs[i - 1]) << i;
  EXPECT_EQ(costs[3], far * costs[1]);
}

TEST(Balance, what_is_no_problem_is_refused) {
  EXPECT_THROW((void)greedy(Problem{.places = 0}), Error);
  EXPECT_THROW((void)refine(Problem{.items = {{.load = 1, .place = 3}}, .places = 3}), Error);
  EXPECT_THROW((void)refine(Problem{.items = {{.load = -1, .place = 0}}, .places = 3}), Error);
  EXPECT_THROW((void)refine(Problem{.items = {{.load = NAN, .place = 0}}, .places = 3}), Error);
  EXPECT_THROW((void)refine(Problem{.links = {{.a = 0, .b = 1}}, .places = 3}), Error);
  EXPECT_THROW((void)hierarchical(Problem{.places = 3, .groups = {0}}), Error);
  EXPECT_THROW((void)refine(Problem{.places = 3, .speeds = {1, 1}}), Error);
  EXPECT_THROW((void)refine(Problem{.places = 2, .levels = {{0, 1}, {0}}}), Error);
  EXPECT_THROW((void)refine(Problem{.places = 2, .speeds = {1, 0}}), Error);
  EXPECT_THROW((void)judge(drifted(2, 4), Plan{1}), Error);
  EXPECT_THROW((void)strategy("best"), Error);
}

TEST(Balance, a_line_says_what_was_done) {
  const Problem problem = drifted(4, 10);
  EXPECT_THAT(explain(problem, none(problem)), testing::HasSubstr("nothing moves of 40"));
  EXPECT_THAT(explain(problem, greedy(problem)), testing::HasSubstr("% of ideal before"));
}

TEST(Balance, a_problem_comes_back_from_its_file) {
  Problem problem = drifted(4, 10);
  problem.groups = {0, 0, 1, 1};
  problem.speeds = {1, 0.5, 1, 0.25};
  problem.levels = {{0, 0, 1, 1}, {0, 1, 2, 3}};
  const std::string path = testing::TempDir() + "balance-" + std::to_string(getpid());
  problem.items[0].load = 12345.5;
  struct Grouping : std::numpunct<char> {
    [[nodiscard]] std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global({std::locale(), new Grouping});
  record(problem, path);
  std::locale::global(before);
  const Problem back = replay(path);
  EXPECT_EQ(back.items[0].load, 12345.5);
  EXPECT_EQ(back.groups, problem.groups);
  EXPECT_EQ(back.speeds, problem.speeds);
  EXPECT_EQ(back.levels, problem.levels);
  EXPECT_EQ(greedy(back), greedy(problem));
  EXPECT_EQ(back.links.size(), problem.links.size());
  for (const char* bad :
       {"item much 3\n", "places 3\n", "groups 0 0\n", "speeds 1\n", "level 0 x\n"}) {
    record(problem, path);
    std::ofstream(path, std::ios::app) << bad;
    try {
      (void)replay(path);
      ADD_FAILURE() << "a bad line was taken: " << bad;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("line"));
    }
  }
  std::remove(path.c_str());
  EXPECT_THROW((void)replay(path), Error);
  EXPECT_THROW(record(problem, testing::TempDir() + "/no/such/folder"), Error);
}

}  // namespace
}  // namespace armature::balance
