// The strategy that minds communication: how much it cuts, moves and balances, and that nothing it
// is given ends the process.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "armature/balance.hpp"
#include "balance/candidates.hpp"
#include "balance/scotch/partition.hpp"

namespace armature::balance {
namespace {

/// Items of equal loads, linked with their neighbours, dealt out to the places in turn.
Problem grid(std::size_t wide, std::size_t high, std::size_t deep, int places) {
  Problem problem{.places = places};
  const std::size_t count = wide * high * deep;
  for (std::size_t i = 0; i < count; ++i) {
    problem.items.push_back(
        {.load = 1, .place = static_cast<int>(i % static_cast<std::size_t>(places))});
    if (i % wide + 1 < wide) problem.links.push_back({.a = i, .b = i + 1, .weight = 1});
    if (i / wide % high + 1 < high) problem.links.push_back({.a = i, .b = i + wide, .weight = 1});
    if (i / (wide * high) + 1 < deep)
      problem.links.push_back({.a = i, .b = i + wide * high, .weight = 1});
  }
  return problem;
}

void put(Problem& problem, const Plan& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) problem.items[i].place = plan[i];
}

double ideal(const Verdict& verdict) { return verdict.mean / verdict.most; }

double between_groups(const Problem& problem, const Plan& plan) {
  double all = 0;
  const auto group = [&](std::size_t i) {
    return problem.groups[static_cast<std::size_t>(plan[i])];
  };
  for (const Link& link : problem.links)
    if (group(link.a) != group(link.b)) all += link.weight;
  return all;
}

TEST(BalanceCommunication, grids_are_cut_nearly_as_little_as_can_be) {
  const Problem square = grid(32, 32, 1, 4), cube = grid(8, 8, 8, 8);
  const Verdict of_square = judge(square, communication(square)),
                of_cube = judge(cube, communication(cube));
  EXPECT_LE(of_square.cut, 1.2 * 64);
  EXPECT_GE(ideal(of_square), 0.97);
  EXPECT_LE(of_cube.cut, 1.2 * 192);
  EXPECT_GE(ideal(of_cube), 0.97);
}

TEST(BalanceCommunication, what_is_where_it_should_be_stays) {
  Problem problem = grid(32, 32, 1, 4);
  for (std::size_t i = 0; i < problem.items.size(); ++i)
    problem.items[i].place = static_cast<int>(i % 32 / 16 + i / 512 * 2);
  EXPECT_EQ(judge(problem, communication(problem)).moved, 0U);
}

TEST(BalanceCommunication, little_moves_where_little_has_changed) {
  Problem problem = grid(32, 32, 1, 8);
  put(problem, communication(problem));
  const double cut = judge(problem, none(problem)).cut;
  for (Item& item : problem.items)
    if (item.place == 3) item.load = 1.5;
  const Verdict verdict = judge(problem, communication(problem));
  EXPECT_GE(ideal(verdict), 0.97);
  EXPECT_LE(verdict.cut, 1.25 * cut);
  EXPECT_LE(verdict.moved, problem.items.size() / 5);
  EXPECT_GT(verdict.moved, 0U);
}

TEST(BalanceCommunication, nodes_are_told_apart_from_places_of_one_node) {
  Problem problem = grid(32, 32, 1, 8);
  problem.groups = {7, 3, 7, 3, 7, 3, 7, 3};
  const Plan knowing = communication(problem);
  EXPECT_GE(ideal(judge(problem, knowing)), 0.97);
  EXPECT_LE(between_groups(problem, knowing), 1.2 * 32);
  // Five places and three: they can be told apart only in what a plan is found to cost.
  problem.groups = {7, 3, 7, 3, 7, 3, 7, 7};
  EXPECT_GE(ideal(judge(problem, communication(problem))), 0.97);
}

TEST(BalanceCommunication, coarse_items_are_not_heaped_up_to_save_a_few_links) {
  const Problem problem = grid(4, 4, 1, 8);
  EXPECT_EQ(judge(problem, communication(problem)).most, 2);
}

TEST(BalanceCommunication, the_same_at_all_who_ask_at_once_and_again) {
  const Problem problem = grid(24, 24, 1, 6), other = grid(20, 20, 1, 5);
  std::vector<Plan> plans(4);
  {
    std::vector<std::jthread> threads;
    for (Plan& plan : plans)
      threads.emplace_back([&problem, &other, &plan] {
        (void)communication(other);
        plan = communication(problem);
      });
  }
  (void)communication(other);
  EXPECT_THAT(plans, testing::Each(communication(problem)));
}

TEST(BalanceCommunication, unusual_numbers_are_problems_too) {
  const double huge = std::numeric_limits<double>::max(), tiny = 1e-310;
  for (const double load : {0.0, tiny, 1.0, huge})
    for (const double weight : {0.0, tiny, 1.0, huge, -1.0, std::nan(""), HUGE_VAL}) {
      Problem problem = grid(6, 6, 1, 3);
      for (std::size_t i = 0; i < problem.items.size(); i += 2) problem.items[i].load = load;
      for (std::size_t i = 0; i < problem.links.size(); i += 3) problem.links[i].weight = weight;
      problem.links.push_back({.a = 5, .b = 5, .weight = weight});
      problem.links.push_back({.a = 1, .b = 0, .weight = weight});
      const Plan plan = communication(problem);
      if (load < huge) {
        EXPECT_GE(ideal(judge(problem, plan)), 0.8) << load << ' ' << weight;
      }
    }
  Problem idle = grid(6, 6, 1, 3);
  for (Item& item : idle.items) item.load = 0;
  EXPECT_EQ(judge(idle, communication(idle)).moved, 0U);
}

TEST(BalanceCommunication, more_places_than_items_and_links_of_few) {
  const Problem crowd = grid(3, 1, 1, 40);
  EXPECT_EQ(judge(crowd, communication(crowd)).moved, 0U);
  Problem lonely = grid(29, 1, 1, 4);
  lonely.links.resize(1);
  EXPECT_EQ(judge(lonely, communication(lonely)).cut, 0);
  const Problem one = {.items = {{.load = 1, .place = 2}}, .links = {{.weight = 1}}, .places = 3};
  EXPECT_EQ(communication(one), Plan{2});
}

TEST(BalanceCommunication, beside_what_moves_one_item_at_a_time) {
  const Problem problem = grid(16, 16, 1, 4);
  EXPECT_LT(judge(problem, communication(problem)).cut, judge(problem, pulled(problem)).cut / 2);
}

TEST(BalanceCommunication, what_scotch_cannot_do_is_told_to_the_caller_alone) {
  const std::int64_t first[] = {0, 1, 2}, to[] = {1, 0}, one[] = {1, 1};
  const scotch::Graph pair{.vertices = 2, .first = first, .to = to, .weight = one, .load = one};
  std::int64_t plan[2] = {-1, -1};
  // Run in another process: Scotch loses memory when it refuses something.
  const auto refuse = [&] {
    std::fputs(scotch::partition(pair, {.each = 2}, {}, std::nan(""), plan) ? "done" : "refused",
               stderr);
    std::_Exit(0);
  };
  EXPECT_EXIT(refuse(), testing::ExitedWithCode(0), "^refused$");
  ASSERT_TRUE(scotch::partition(pair, {.each = 2}, {}, 0.03, plan));
  EXPECT_NE(plan[0], plan[1]);
}

}  // namespace
}  // namespace armature::balance
