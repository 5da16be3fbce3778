#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "armature/balance.hpp"
#include "armature/container/gather.hpp"
#include "armature/error.hpp"
#include "armature/locality.hpp"
#include "armature/object_array/array.hpp"
#include "armature/plan_together.hpp"

namespace armature {

namespace detail {

/// `all` is by member.
template <class Index>
balance::Problem problem_of(const Team& team,
                            const std::vector<std::vector<MeasuredElement<Index>>>& all) {
  balance::Problem problem{.places = team.size()};
  std::unordered_map<Index, std::size_t, IndexHash> numbers;
  for (int m = 0; m < team.size(); ++m) {
    problem.groups.push_back(node_of(team.world_rank(m)).number());
    for (const auto& element : all[static_cast<std::size_t>(m)]) {
      numbers.emplace(element.index, problem.items.size());
      problem.items.push_back({.load = element.load, .place = m});
    }
  }
  for (const auto& elements : all)
    for (const auto& element : elements)
      for (const auto& [other, count] : element.calls)
        if (const auto found = numbers.find(other); found != numbers.end())
          problem.links.push_back({.a = numbers.at(element.index),
                                   .b = found->second,
                                   .weight = static_cast<double>(count)});
  return problem;
}

}  // namespace detail

/// Collective: elements go where the strategy says, by the time that their methods took since the
/// last rebalance, or since array.measure(true). Begins and ends with a fence. Throws
/// Error(bad_argument) with when_due. Member 0 asks its strategy, and what that throws it throws;
/// the others throw Error(bad_argument) then, and all elements stay. Every member gets what there
/// was and what became of it.
template <class T, ArrayIndex Index>
balance::Verdict rebalance(object_array<T, Index>& array, const RebalanceOptions& options = {}) {
  if (options.when_due)
    throw Error(Errc::bad_argument, "rebalance: when_due is for ranks, not for object arrays");
  array.fence();
  const auto mine = array.take_measured();
  const Team& team = array.team();
  const auto all = detail::all_values(team, mine);
  std::size_t first = 0, items = 0;
  for (int m = 0; m < team.size(); ++m) {
    if (m == team.rank()) first = items;
    items += all[static_cast<std::size_t>(m)].size();
  }
  balance::Plan plan(items);
  const balance::Verdict verdict = plan_together(team, "rebalance", plan, [&] {
    const balance::Problem problem = detail::problem_of<Index>(team, all);
    const balance::Plan made =
        options.strategy ? options.strategy(problem) : balance::chosen(problem);
    const balance::Verdict judged = balance::judge(problem, made);
    if (options.log)
      std::fprintf(stderr, "%s%s\n", balance::explain(problem, made).c_str(),
                   judged.mean > 0 ? "" : " (measure(true) begins it)");
    if (!options.record.empty()) balance::record(problem, options.record);
    std::ranges::copy(made, plan.begin());
    return judged;
  });
  for (std::size_t i = 0; i < mine.size(); ++i) array.leave_for(mine[i].index, plan[first + i]);
  array.fence();
  return verdict;
}

}  // namespace armature
