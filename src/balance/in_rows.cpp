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
  // No place stays empty while there are items for it.
  auto items_left = std::ranges::count(kept, -1);
  auto empty_behind =
      std::count_if(all.begin() + 1, all.end(), [](const Place& place) { return !place.has_any; });
  const auto must_go_on = [&](double load) {
    return is_full(load) || (all[at].has_any && items_left <= empty_behind);
  };
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (kept[i] >= 0) continue;
    while (at + 1 < all.size() && must_go_on(loads[i])) {
      left -= all[at++].load;
      if (!all[at].has_any) --empty_behind;
    }
    all[at].add(loads[i]);
    --items_left;
    plan[i] = static_cast<int>(at);
  }
  return plan;
}

std::vector<std::uint32_t> first_in_rows(std::span<const double> loads, int places) {
  const std::vector<int> anywhere(loads.size(), -1);
  const Plan plan = in_rows(loads, anywhere, places);
  ARMATURE_ASSERT(std::ssize(loads) >= places);
  std::vector<std::uint32_t> first;
  for (int place = 0; place < places; ++place)
    first.push_back(
        static_cast<std::uint32_t>(std::ranges::lower_bound(plan, place) - plan.begin()));
  return first;
}

}  // namespace armature::balance
