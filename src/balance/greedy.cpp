#include <map>
#include <set>
#include <tuple>

#include "balance/loads.hpp"

namespace armature::balance {
namespace {

/// Finds the place where an item ends soonest. Of places that are as fast as each other that is the
/// one that takes least so far, and of several of those the one with fewest items.
class Soonest {
 public:
  /// Seconds so far, items, its number.
  using Place = std::tuple<double, std::size_t, int>;

  explicit Soonest(const Problem& problem) : speeds_(problem.speeds) {
    for (int place = 0; place < problem.places; ++place) {
      has_.emplace_back(0.0, 0, place);
      of_speed_[speed(place)].insert(has_.back());
    }
  }

  /// The place where the item ends soonest, or `here` where that is as good.
  [[nodiscard]] int place_for(double load, int here) const {
    const auto end_there = [&](const Place& place) {
      return std::pair(std::get<0>(place) + load / speed(std::get<2>(place)), std::get<1>(place));
    };
    const Place* best = &has_[static_cast<std::size_t>(here)];
    for (const auto& [speed, places] : of_speed_)
      if (end_there(*places.begin()) < end_there(*best)) best = &*places.begin();
    return std::get<2>(*best);
  }
  void put(double load, int place) {
    Place& there = has_[static_cast<std::size_t>(place)];
    auto& alike = of_speed_[speed(place)];
    alike.erase(there);
    there = {std::get<0>(there) + load / speed(place), std::get<1>(there) + 1, place};
    alike.insert(there);
  }

 private:
  [[nodiscard]] double speed(int place) const {
    return speeds_.empty() ? 1 : speeds_[static_cast<std::size_t>(place)];
  }

  const std::vector<double>& speeds_;
  std::vector<Place> has_;
  std::map<double, std::set<Place>> of_speed_;
};

}  // namespace

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
  Soonest soonest(problem);
  for (const std::size_t item : order) {
    // An item that has taken no time makes no place better or worse: it stays, as all after it.
    const double load = problem.items[item].load;
    if (load <= 0) break;
    plan[item] = soonest.place_for(load, plan[item]);
    soonest.put(load, plan[item]);
  }
  return plan;
}

}  // namespace armature::balance
