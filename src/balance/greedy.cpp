#include <functional>
#include <queue>
#include <utility>

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
  using Place = std::pair<double, int>;  // what it has so far
  std::priority_queue<Place, std::vector<Place>, std::greater<>> places;
  for (int place = 0; place < problem.places; ++place) places.emplace(0.0, place);
  for (const std::size_t item : order) {
    const auto [load, place] = places.top();
    places.pop();
    plan[item] = place;
    places.emplace(load + problem.items[item].load, place);
  }
  return plan;
}

}  // namespace armature::balance
