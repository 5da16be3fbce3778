#include "partition.hpp"

#include <algorithm>
#include <limits>

namespace scc {

Partition named_by_smallest(const std::vector<Vertex>& component_of) {
  constexpr Vertex none = std::numeric_limits<Vertex>::max();
  std::vector<Vertex> smallest(component_of.size(), none);
  Partition partition(component_of.size());
  for (Vertex v = 0; v < component_of.size(); ++v) {
    Vertex& name = smallest[component_of[v]];
    name = std::min(name, v);
    partition[v] = name;
  }
  return partition;
}

std::size_t count_components(const Partition& partition) {
  std::size_t count = 0;
  for (Vertex v = 0; v < partition.size(); ++v) count += partition[v] == v ? 1 : 0;
  return count;
}

std::vector<std::vector<Vertex>> circles(const Partition& partition) {
  std::vector<std::vector<Vertex>> members(partition.size());
  for (Vertex v = 0; v < partition.size(); ++v) members[partition[v]].push_back(v);
  std::erase_if(members, [](const std::vector<Vertex>& each) { return each.size() < 2; });
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return members;
}

}  // namespace scc
