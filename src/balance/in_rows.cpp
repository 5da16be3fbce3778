#include "balance/in_rows.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/fail.hpp"

namespace armature::balance {

Plan in_rows(std::span<const double> loads, std::span<const int> kept, int places) {
  ARMATURE_ASSERT(places > 0 && loads.size() == kept.size());
  const double all = std::accumulate(loads.begin(), loads.end(), 0.0);
  // What each place may still take.
  std::vector<double> room(static_cast<std::size_t>(places), all / places);
  for (std::size_t i = 0; i < loads.size(); ++i)
    if (kept[i] >= 0) room[static_cast<std::size_t>(kept[i])] -= loads[i];
  Plan plan(kept.begin(), kept.end());
  std::size_t at = 0;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (kept[i] >= 0) continue;
    // It goes where more than half of it has room. What is left over or taken too much counts for
    // the next place.
    const double half = loads[i] / 2;
    while (at + 1 < room.size() && room[at] < half) {
      room[at + 1] += std::clamp(room[at], -half, half);
      ++at;
    }
    room[at] -= loads[i];
    plan[i] = static_cast<int>(at);
  }
  return plan;
}

}  // namespace armature::balance
