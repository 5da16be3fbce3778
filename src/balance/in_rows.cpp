#include "balance/in_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "base/fail.hpp"

namespace armature::balance {

Plan in_rows(std::span<const double> loads, std::span<const int> kept, int places) {
  ARMATURE_ASSERT(places > 0 && loads.size() == kept.size());
  struct Place {
    double load = 0;
    bool has_any = false;
    void add(double more) { load += more, has_any = true; }
  };
  std::vector<Place> all(static_cast<std::size_t>(places));
  for (std::size_t i = 0; i < loads.size(); ++i) {
    ARMATURE_ASSERT(kept[i] < places);
    if (kept[i] >= 0) all[static_cast<std::size_t>(kept[i])].add(loads[i]);
  }
  Plan plan(kept.begin(), kept.end());
  std::size_t at = 0;
  double left =
      std::accumulate(loads.begin(), loads.end(), 0.0);  // for this place and those behind
  // The share is of what is left: one item that is more than a share leaves less for all others.
  // Where half of an item or more would not fit, it goes to the next place.
  const auto is_full = [&](double load) {
    const double share = left / static_cast<double>(all.size() - at);
    return all[at].has_any && share - all[at].load < load / 2;
  };
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (kept[i] >= 0) continue;
    while (at + 1 < all.size() && is_full(loads[i])) left -= all[at++].load;
    all[at].add(loads[i]);
    plan[i] = static_cast<int>(at);
  }
  return plan;
}

std::vector<std::uint32_t> first_in_rows(std::span<const double> loads, int places) {
  const std::vector<int> anywhere(loads.size(), -1);
  const Plan plan = in_rows(loads, anywhere, places);
  const auto all = static_cast<std::uint32_t>(places);
  const auto items = static_cast<std::uint32_t>(loads.size());
  ARMATURE_ASSERT(items >= all);
  std::vector<std::uint32_t> first;
  for (std::uint32_t place = 0; place < all; ++place) {
    const auto there = std::ranges::lower_bound(plan, static_cast<int>(place)) - plan.begin();
    // Behind one of the place before, before one for each that follows.
    first.push_back(std::clamp(static_cast<std::uint32_t>(there),
                               first.empty() ? 0 : first.back() + 1, items - (all - place)));
  }
  return first;
}

}  // namespace armature::balance
