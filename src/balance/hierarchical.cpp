// Moving inside a group, such as a node, costs little, and moving to another much. So groups, as if
// each were one place, are refined first; then each by itself.
#include <set>

#include "balance/loads.hpp"

namespace armature::balance {
namespace {

/// Groups as places, each as fast as all its places together.
Plan among_groups(const Problem& problem, const std::vector<int>& groups) {
  Problem outer{.places = static_cast<int>(groups.size())};
  const auto number = [&](int place) {
    const int group = problem.groups[static_cast<std::size_t>(place)];
    return static_cast<int>(std::lower_bound(groups.begin(), groups.end(), group) - groups.begin());
  };
  outer.speeds.resize(groups.size());
  for (int place = 0; place < problem.places; ++place)
    outer.speeds[static_cast<std::size_t>(number(place))] +=
        problem.speeds.empty() ? 1 : problem.speeds[static_cast<std::size_t>(place)];
  for (const Item& item : problem.items)
    outer.items.push_back({.load = item.load, .place = number(item.place)});
  return refine(outer);
}

/// The items of one group among its places. Those that are new to it begin where there is least.
void inside(const Problem& problem, const std::vector<int>& places,
            const std::vector<std::size_t>& items, Plan& plan) {
  Problem inner{.places = static_cast<int>(places.size())};
  for (const int place : places)
    if (!problem.speeds.empty())
      inner.speeds.push_back(problem.speeds[static_cast<std::size_t>(place)]);
  std::vector<double> has(places.size());
  for (const std::size_t item : items) {
    const auto found = std::find(places.begin(), places.end(), problem.items[item].place);
    const auto place = found != places.end()
                           ? found - places.begin()
                           : std::min_element(has.begin(), has.end()) - has.begin();
    has[static_cast<std::size_t>(place)] += problem.items[item].load;
    inner.items.push_back({.load = problem.items[item].load, .place = static_cast<int>(place)});
  }
  const Plan refined = refine(inner);
  for (std::size_t i = 0; i < items.size(); ++i)
    plan[items[i]] = places[static_cast<std::size_t>(refined[i])];
}

}  // namespace

Plan hierarchical(const Problem& problem) {
  check(problem);
  if (problem.groups.empty()) return refine(problem);
  const std::set<int> different(problem.groups.begin(), problem.groups.end());
  const std::vector<int> groups(different.begin(), different.end());
  const Plan outer = among_groups(problem, groups);
  Plan plan(problem.items.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<int> places;
    for (int place = 0; place < problem.places; ++place)
      if (problem.groups[static_cast<std::size_t>(place)] == groups[g]) places.push_back(place);
    std::vector<std::size_t> items;
    for (std::size_t i = 0; i < outer.size(); ++i)
      if (outer[i] == static_cast<int>(g)) items.push_back(i);
    inside(problem, places, items, plan);
  }
  return plan;
}

}  // namespace armature::balance
