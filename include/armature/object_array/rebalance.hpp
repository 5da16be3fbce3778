#pragma once

#include <cstddef>
#include <cstdio>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "armature/balance.hpp"
#include "armature/collectives.hpp"
#include "armature/decide_at_root.hpp"
#include "armature/error.hpp"
#include "armature/locality.hpp"
#include "armature/object_array/array.hpp"
#include "armature/object_array/distributed.hpp"
#include "armature/rmi.hpp"
#include "armature/shared.hpp"

namespace armature {

namespace detail {

/// Member 0 gets what each has measured, and each its part of the plan. All of it in the memory of
/// each would be as much as members times members.
template <class Index>
struct Planner {
  using Elements = std::vector<MeasuredElement<Index>>;
  std::vector<Elements> all;  // at member 0, by member
  balance::Plan plan;         // for those of here

  explicit Planner(const Team& team) {
    if (team.rank() == 0) all.resize(static_cast<std::size_t>(team.size()));
  }
  void take(int member, Elements elements) {
    all[static_cast<std::size_t>(member)] = std::move(elements);
  }
  void tell(std::span<const int> part) { plan.assign(part.begin(), part.end()); }
};

/// The domains of the members (balance::Problem::levels), without those levels that divide none of
/// the level above.
inline std::vector<std::vector<int>> levels_of(const Team& team) {
  std::vector<std::vector<int>> levels;
  std::size_t above = 1;  // domains of the last level taken
  for (const Domain level :
       {Domain::network_switch, Domain::node, Domain::socket, Domain::numa, Domain::cache}) {
    std::vector<int> of_members;
    for (int m = 0; m < team.size(); ++m)
      of_members.push_back(domain_of(level, team.world_rank(m)));
    const std::size_t domains = std::set<int>(of_members.begin(), of_members.end()).size();
    if (domains <= above) continue;
    above = domains;
    levels.push_back(std::move(of_members));
  }
  return levels;
}

/// `all` is by member.
template <class Index>
balance::Problem problem_of(const Team& team,
                            const std::vector<std::vector<MeasuredElement<Index>>>& all) {
  balance::Problem problem{.places = team.size()};
  problem.levels = levels_of(team);
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

/// Members exchange loads two by two, and nobody knows them all.
template <class T, ArrayIndex Index>
balance::Verdict rebalance_distributed(object_array<T, Index>& array, bool logs) {
  const auto mine = array.take_measured();
  std::vector<double> loads;
  for (const auto& element : mine) loads.push_back(element.load);
  const DistributedPlan plan = plan_distributed(array.team(), loads);
  if (logs && array.team().rank() == 0) log(plan);
  for (std::size_t i = 0; i < mine.size(); ++i) array.leave_for(mine[i].index, plan.to[i]);
  array.fence();
  return plan.after;
}

}  // namespace detail

/// Collective: elements go where the strategy says, by the time that their methods took since the
/// last rebalance, or since array.measure(true). Begins and ends with a fence. Throws
/// Error(bad_argument) with when_due. Member 0 asks its strategy, and what that throws it throws;
/// the others throw Error(bad_argument) then, and all elements stay. Every member gets what there
/// was and what became of it. With balance::distributed no member knows all loads: of others it
/// knows O(log n), with n members (unless `record` is set); the verdict's cut is 0, nobody knows
/// links.
template <class T, ArrayIndex Index>
balance::Verdict rebalance(object_array<T, Index>& array, const RebalanceOptions& options = {}) {
  if (options.when_due)
    throw Error(Errc::bad_argument, "rebalance: when_due is for ranks, not for object arrays");
  array.fence();
  const Team& team = array.team();
  // Others may have been given other options than member 0, whose count.
  const bool is_distributed = options.record.empty() && balance::is_distributed(options.strategy);
  if (broadcast(team, is_distributed, 0)) return detail::rebalance_distributed(array, options.log);
  const auto mine = array.take_measured();
  shared<detail::Planner<Index>> planner(team, team);
  planner.async(team.world_rank(0), &detail::Planner<Index>::take, team.rank(), mine);
  rmi_fence(team);
  balance::Plan plan;
  const balance::Verdict verdict = decide_at_root(team, "rebalance", [&] {
    const balance::Problem problem = detail::problem_of<Index>(team, planner->all);
    plan = options.strategy ? options.strategy(problem) : balance::chosen(problem);
    const balance::Verdict judged = balance::judge(problem, plan);
    if (options.log)
      std::fprintf(stderr, "%s%s\n", balance::explain(problem, plan).c_str(),
                   judged.mean > 0
                       ? ""
                       : " (measure(true) begins it; a simulation's clock counts no computing)");
    if (!options.record.empty()) balance::record(problem, options.record);
    return judged;
  });
  if (team.rank() == 0) {
    const int* part = plan.data();
    for (int m = 0; m < team.size(); ++m) {
      const std::size_t count = planner->all[static_cast<std::size_t>(m)].size();
      planner.async(team.world_rank(m), &detail::Planner<Index>::tell,
                    std::span<const int>(part, count));
      part += count;
    }
  }
  rmi_fence(team);
  for (std::size_t i = 0; i < mine.size(); ++i) array.leave_for(mine[i].index, planner->plan[i]);
  array.fence();
  return verdict;
}

}  // namespace armature
