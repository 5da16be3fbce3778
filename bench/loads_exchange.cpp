// Members of an object array exchange loads two by two until they have equally much: the strategy
// `distributed` by messages, beside one that knows all loads.
#include <algorithm>
#include <vector>

#include <armature/armature.hpp>
#include <armature/object_array.hpp>
#include <armature/object_array/rebalance.hpp>

#include "bench/rows.hpp"

namespace armature::bench {
namespace {

/// Loads of a line of members, of which a quarter has eight times as much to do.
std::vector<double> loads_of(int member, int members) {
  std::vector<double> loads;
  for (int i = 0; i < 8; ++i) {
    const double noise = 0.5 + ((member * 8 + i) * 7919 % 1000) / 1000.0;
    loads.push_back((member < members / 4 ? 8 : 1) * noise);
  }
  return loads;
}

}  // namespace

void exchange_rows(World& world, const Settings& settings) {
  const detail::DistributedPlan plan =
      detail::plan_distributed(world, loads_of(world.rank(), world.size()));
  if (world.rank() != 0) return;
  balance::Problem problem{.places = world.size()};
  for (int member = 0; member < world.size(); ++member)
    for (const double load : loads_of(member, world.size()))
      problem.items.push_back({.load = load, .place = member});
  const double central = balance::judge(problem, balance::greedy(problem)).most;
  const double bound =
      2.0 * static_cast<double>(detail::DimensionExchange::offered_max(world.size())) +
      static_cast<double>(detail::DimensionExchange::held_max(world.size())) + 2;
  settings.report({.op = "distributed", .bytes = 0, .ns = plan.after.most, .limit_ns = central});
  settings.report({.op = "distributed.known",
                   .bytes = 0,
                   .ns = static_cast<double>(plan.most_known),
                   .limit_ns = bound});
}

}  // namespace armature::bench
