// Moving inside a group, such as a node, costs little, and moving to another much. So groups, as if
// each were one place, are refined first; then each by itself, by the groups of the next level,
// down to the places.
#include <set>
#include <span>

#include "balance/loads.hpp"

namespace armature::balance {
namespace {

using Items = std::vector<std::size_t>;

class Division {
 public:
  explicit Division(const Problem& problem) : problem_(problem), plan_(problem.items.size()) {
    if (!problem.levels.empty())
      levels_.assign(problem.levels.begin(), problem.levels.end());
    else if (!problem.groups.empty())
      levels_.emplace_back(problem.groups);
  }

  [[nodiscard]] Plan run() && {
    std::vector<int> places;
    for (int place = 0; place < problem_.places; ++place) places.push_back(place);
    Items items;
    for (std::size_t i = 0; i < problem_.items.size(); ++i) items.push_back(i);
    divide(places, items, 0);
    return std::move(plan_);
  }

 private:
  /// These items among these places, by the groups of that level and of those below it.
  void divide(const std::vector<int>& places, const Items& items, std::size_t level) {
    if (level == levels_.size()) return inside(places, items);
    const auto group_of = [&](int place) {
      return levels_[level][static_cast<std::size_t>(place)];
    };
    std::set<int> different;
    for (const int place : places) different.insert(group_of(place));
    if (different.size() == 1) return divide(places, items, level + 1);
    const std::vector<int> groups(different.begin(), different.end());
    std::vector<std::vector<int>> places_of(groups.size());
    for (const int place : places)
      places_of[static_cast<std::size_t>(std::ranges::lower_bound(groups, group_of(place)) -
                                         groups.begin())]
          .push_back(place);
    const std::vector<Items> items_of = among(places_of, items);
    for (std::size_t g = 0; g < groups.size(); ++g) divide(places_of[g], items_of[g], level + 1);
  }

  /// The items of each of these parts, which are as fast as all their places together.
  [[nodiscard]] std::vector<Items> among(const std::vector<std::vector<int>>& parts,
                                         const Items& items) const {
    Problem outer{.places = static_cast<int>(parts.size())};
    for (const std::vector<int>& part : parts) {
      double speed = 0;
      for (const int place : part) speed += speed_of(place);
      outer.speeds.push_back(speed);
    }
    std::vector<int> part_of(static_cast<std::size_t>(problem_.places), -1);
    for (std::size_t p = 0; p < parts.size(); ++p)
      for (const int place : parts[p])
        part_of[static_cast<std::size_t>(place)] = static_cast<int>(p);
    const Plan refined = refined_from(outer, part_of, items);
    std::vector<Items> items_of(parts.size());
    for (std::size_t i = 0; i < items.size(); ++i)
      items_of[static_cast<std::size_t>(refined[i])].push_back(items[i]);
    return items_of;
  }

  void inside(const std::vector<int>& places, const Items& items) {
    Problem inner{.places = static_cast<int>(places.size())};
    for (const int place : places)
      if (!problem_.speeds.empty()) inner.speeds.push_back(speed_of(place));
    std::vector<int> number_of(static_cast<std::size_t>(problem_.places), -1);
    for (std::size_t p = 0; p < places.size(); ++p)
      number_of[static_cast<std::size_t>(places[p])] = static_cast<int>(p);
    const Plan refined = refined_from(inner, number_of, items);
    for (std::size_t i = 0; i < items.size(); ++i)
      plan_[items[i]] = places[static_cast<std::size_t>(refined[i])];
  }

  /// `part_of`: of each place of the whole, -1 for those elsewhere. Items that come from there
  /// begin where there is least.
  [[nodiscard]] Plan refined_from(Problem& part, std::span<const int> part_of,
                                  const Items& items) const {
    std::vector<double> has(static_cast<std::size_t>(part.places));
    for (const std::size_t item : items) {
      const int known = part_of[static_cast<std::size_t>(problem_.items[item].place)];
      const int place =
          known >= 0 ? known : static_cast<int>(std::ranges::min_element(has) - has.begin());
      has[static_cast<std::size_t>(place)] += problem_.items[item].load;
      part.items.push_back({.load = problem_.items[item].load, .place = place});
    }
    return refine(part);
  }

  [[nodiscard]] double speed_of(int place) const {
    return problem_.speeds.empty() ? 1 : problem_.speeds[static_cast<std::size_t>(place)];
  }

  const Problem& problem_;
  std::vector<std::span<const int>> levels_;
  Plan plan_;
};

}  // namespace

Plan hierarchical(const Problem& problem) {
  check(problem);
  return Division(problem).run();
}

}  // namespace armature::balance
