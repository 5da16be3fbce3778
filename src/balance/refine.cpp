// The place with the most gives to the one with the least: the largest item that makes the pair
// better. It ends near the mean, or where nothing makes it better. Few items move, since each takes
// as much as can be taken.
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "balance/loads.hpp"

namespace armature::balance {
namespace {

/// A place's items by their loads.
using ByLoad = std::set<std::pair<double, std::size_t>>;

/// Finds the item, of those at the place that takes most, after whose move the larger of the two is
/// least. It is one of the two next to what would make both equal.
std::optional<std::size_t> best_item(const Loads& loads, const ByLoad& items, int from, int to) {
  const double equal =
      (loads.of(from) - loads.of(to)) / (1 / loads.speed(from) + 1 / loads.speed(to));
  const auto above = items.lower_bound({equal, 0});
  std::optional<std::size_t> best;
  double least = loads.of(from) * (1 - 1e-9);
  const auto consider = [&](const std::pair<double, std::size_t>& item) {
    const auto [load, number] = item;
    const double larger =
        std::max(loads.of(from) - load / loads.speed(from), loads.of(to) + load / loads.speed(to));
    if (load <= 0 || larger >= least) return;
    least = larger;
    best = number;
  };
  if (above != items.end()) consider(*above);
  if (above != items.begin()) consider(*std::prev(above));
  return best;
}

}  // namespace

Plan refine(const Problem& problem) {
  Loads loads(problem);
  const double enough = loads.mean() * tolerance;
  std::vector<ByLoad> items(static_cast<std::size_t>(problem.places));
  for (std::size_t i = 0; i < problem.items.size(); ++i)
    items[static_cast<std::size_t>(problem.items[i].place)].emplace(problem.items[i].load, i);
  for (std::size_t moves = 4 * problem.items.size(); moves > 0; --moves) {
    const int from = loads.most();
    int to = loads.least();
    if (loads.of(from) <= enough) break;
    auto& here = items[static_cast<std::size_t>(from)];
    auto best = best_item(loads, here, from, to);
    // A slow place may have least since each item takes too long there: then another one takes it.
    for (int place = 0; !best && !problem.speeds.empty() && place < problem.places; ++place)
      if (place != from) best = best_item(loads, here, from, to = place);
    if (!best) break;
    loads.move(*best, to);
    items[static_cast<std::size_t>(to)].insert(here.extract({problem.items[*best].load, *best}));
  }
  return loads.plan();
}

}  // namespace armature::balance
