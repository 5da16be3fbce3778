#include <algorithm>

#include <fmt/format.h>

#include "balance/links.hpp"
#include "balance/loads.hpp"
#include "base/fail.hpp"
#include "base/joined.hpp"
#include "base/runtime.hpp"

namespace armature::balance {
namespace {

struct Named {
  const char* name;
  Plan (*make)(const Problem&);
};
constexpr Named all[] = {{"none", none},
                         {"greedy", greedy},
                         {"refine", refine},
                         {"communication", communication},
                         {"hierarchical", hierarchical},
                         {"distributed", distributed},
                         {"chosen", chosen}};

struct Names {
  Names() {
    for (const Named& one : all) names.emplace_back(one.name);
  }
  std::vector<std::string> names;
};

/// Limits the links that the strategy that nobody has asked for looks at: more take seconds.
constexpr std::size_t links_max = 200'000;

/// Minds loads alone.
Plan by_loads(const Problem& problem) {
  Plan stays = none(problem);
  const Verdict now = judge(problem, stays);
  if (now.most <= now.mean * tolerance) return stays;
  const bool is_flat = problem.groups.empty() && problem.levels.empty();
  Plan few = is_flat ? refine(problem) : hierarchical(problem);
  Plan many = greedy(problem);
  return judge(problem, many).most < 0.95 * judge(problem, few).most ? many : few;
}

}  // namespace

Plan chosen(const Problem& problem) {
  Plan plan = by_loads(problem);
  if (problem.links.empty() || problem.links.size() > links_max) return plan;
  Plan near = communication(problem);
  const Links links(problem);
  const bool is_as_even = judge(problem, near).most <= 1.05 * judge(problem, plan).most;
  return is_as_even && links.cost(near) < 0.75 * links.cost(plan) ? near : plan;
}

const std::vector<std::string>& strategy_names() { return base::state<Names>().names; }

Strategy strategy(std::string_view name) {
  for (const Named& one : all)
    if (name == one.name) return one.make;
  base::fail(Errc::bad_argument, fmt::format("balance: there is no strategy '{}'; there are {}",
                                             name, base::joined(strategy_names(), ", ")));
}

}  // namespace armature::balance
