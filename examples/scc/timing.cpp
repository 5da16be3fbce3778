#include "timing.hpp"

#include <cstddef>

namespace scc {

std::vector<Timing> time_searches(armature::World& world, const GraphPart& part,
                                  const std::vector<Aggregation>& aggregations, int repeat,
                                  const OnSearch& on_search) {
  const armature::RmiSettings before = armature::rmi_settings();
  std::vector<Timing> timings(aggregations.size());
  for (int turn = 0; turn < repeat; ++turn) {
    for (std::size_t i = 0; i < aggregations.size(); ++i) {
      armature::RmiSettings settings = before;
      settings.aggregation = aggregations[i];
      armature::set_rmi_settings(settings);
      const SearchResult found = find_components(world, part);
      on_search(aggregations[i], found);
      if (turn > 0 && found.seconds >= timings[i].seconds) continue;
      timings[i] = {aggregations[i], found.seconds, found.calls, found.rounds};
    }
  }
  armature::set_rmi_settings(before);
  return timings;
}

}  // namespace scc
