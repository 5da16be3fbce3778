// Items go, from a balanced plan, where most of their links lead, as long as no place gets more
// than a little above the mean. These are a few rounds of what graph partitioners do to refine a
// partition.
#include <map>

#include "balance/candidates.hpp"
#include "balance/loads.hpp"

namespace armature::balance {

Plan pulled(const Problem& problem) {
  Loads loads(problem, refine(problem));
  // Room for one more, else nothing could begin to move where all places are equal.
  const double item = loads.all() / static_cast<double>(problem.items.size() + 1);
  const double enough =
      std::max({loads.mean() * tolerance, loads.of(loads.most()), loads.mean() + item});
  std::vector<std::vector<std::pair<std::size_t, double>>> linked(problem.items.size());
  for (const Link& link : problem.links) {
    linked[link.a].emplace_back(link.b, link.weight);
    linked[link.b].emplace_back(link.a, link.weight);
  }
  for (int round = 0; round < 8; ++round) {
    bool better = false;
    for (std::size_t i = 0; i < linked.size(); ++i) {
      std::map<int, double> pull;
      for (const auto& [other, weight] : linked[i]) pull[loads.plan()[other]] += weight;
      const int here = loads.plan()[i];
      int best = here;
      for (const auto& [place, weight] : pull)
        if (weight > pull[best] && loads.of(place) + loads.seconds(i, place) <= enough)
          best = place;
      if (best == here) continue;
      loads.move(i, best);
      better = true;
    }
    if (!better) break;
  }
  return loads.plan();
}

}  // namespace armature::balance
