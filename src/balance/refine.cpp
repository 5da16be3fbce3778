// The place with the most gives to the one with the least, the largest item that makes the pair
// better, until it is near the mean or nothing makes it better. Few items move, since each takes as
// much as can be taken.
#include <optional>

#include "balance/loads.hpp"

namespace armature::balance {
namespace {

/// Of those at the place with the most: the one after whose move the larger of the two is least.
std::optional<std::size_t> best_item(const Problem& problem, const Loads& loads,
                                     const std::vector<std::size_t>& items, int from, int to) {
  std::optional<std::size_t> best;
  double least = loads.of(from);
  for (const std::size_t item : items) {
    const double load = problem.items[item].load;
    const double larger = std::max(loads.of(from) - load, loads.of(to) + load);
    if (load <= 0 || larger >= least * (1 - 1e-9)) continue;
    least = larger;
    best = item;
  }
  return best;
}

}  // namespace

Plan refine(const Problem& problem) {
  Loads loads(problem);
  const double enough = loads.mean() * tolerance;
  auto items = loads.items();
  for (std::size_t moves = 4 * problem.items.size(); moves > 0; --moves) {
    const int from = loads.most(), to = loads.least();
    if (loads.of(from) <= enough) break;
    auto& here = items[static_cast<std::size_t>(from)];
    const auto best = best_item(problem, loads, here, from, to);
    if (!best) break;
    loads.move(*best, to);
    std::erase(here, *best);
    items[static_cast<std::size_t>(to)].push_back(*best);
  }
  return loads.plan();
}

}  // namespace armature::balance
