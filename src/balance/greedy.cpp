#include <set>
#include <tuple>

#include "balance/loads.hpp"

namespace armature::balance {

Plan none(const Problem& problem) {
  check(problem);
  Plan plan;
  for (const Item& item : problem.items) plan.push_back(item.place);
  return plan;
}

Plan greedy(const Problem& problem) {
  Plan plan = none(problem);
  std::vector<std::size_t> order(plan.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return problem.items[a].load > problem.items[b].load;
  });
  // A place with the load that it has so far: the one with least is first, and where several have
  // it, the one with fewest items.
  using Place = std::tuple<double, std::size_t, int>;
  std::vector<Place> has;
  for (int place = 0; place < problem.places; ++place) has.emplace_back(0.0, 0, place);
  std::set<Place> places(has.begin(), has.end());
  for (const std::size_t item : order) {
    // An item that has taken no time makes no place better or worse: it stays, as all after it.
    if (problem.items[item].load <= 0) break;
    const auto [load, count, first] = *places.begin();
    const Place here = has[static_cast<std::size_t>(plan[item])];
    const bool may_stay = std::get<0>(here) == load && std::get<1>(here) == count;
    const int place = may_stay ? plan[item] : first;
    plan[item] = place;
    Place& there = has[static_cast<std::size_t>(place)];
    places.erase(there);
    there = {load + problem.items[item].load, count + 1, place};
    places.insert(there);
  }
  return plan;
}

}  // namespace armature::balance
