// The strategy `distributed`, by messages: the plan is that of the function, which has all places
// in one memory, and no member knows more than a few loads of others.
#include <random>
#include <vector>

#include <armature/object_array/rebalance.hpp>

#include "rmi.hpp"

using namespace conformance;
namespace balance = armature::balance;
using armature::detail::DimensionExchange;

namespace {

/// The loads of one member; some have much more than others. Their sums are exact in any order.
std::vector<double> loads_of(int member) {
  std::mt19937_64 random(static_cast<std::uint64_t>(member) + 1);
  std::vector<double> loads;
  for (int i = 0; i < 10 + member % 3; ++i)
    loads.push_back((4 * member < ranks() ? 8 : 1) * (500 + static_cast<double>(random() % 1000)));
  loads.push_back(0);
  return loads;
}

balance::Problem problem_of_all() {
  balance::Problem problem{.places = ranks()};
  for (int member = 0; member < ranks(); ++member)
    for (const double load : loads_of(member))
      problem.items.push_back({.load = load, .place = member});
  return problem;
}

TEST(DistributedBalance, the_plan_by_messages_is_that_of_the_function_and_nearly_as_good_as_any) {
  const auto plan = armature::detail::plan_distributed(world(), loads_of(me()));
  // O(log n), with n members.
  const auto rounds = static_cast<std::size_t>(DimensionExchange::rounds(ranks()));
  EXPECT_LE(plan.most_known, 3 * (4 + rounds) + 34);
  constexpr int few = 64;  // of more than that, the whole is not made by each
  if (ranks() > few && me() != 0) return;
  const balance::Problem problem = problem_of_all();
  const balance::Plan expected = balance::distributed(problem);
  const balance::Verdict verdict = balance::judge(problem, expected);
  EXPECT_EQ(plan.after.moved, verdict.moved);
  EXPECT_DOUBLE_EQ(plan.after.most, verdict.most);
  EXPECT_LE(plan.after.most, 1.1 * balance::judge(problem, balance::greedy(problem)).most);
  std::size_t first = 0;
  while (problem.items[first].place != me()) ++first;
  for (std::size_t i = 0; i < plan.to.size(); ++i) EXPECT_EQ(plan.to[i], expected[first + i]) << i;
}

}  // namespace
