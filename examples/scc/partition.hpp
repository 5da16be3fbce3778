// The vertices of a graph in components: each vertex has the number of its component's smallest
// member, so that equal partitions are equal vectors.
#pragma once

#include <cstddef>
#include <vector>

#include "directed_graph.hpp"

namespace scc {

using Partition = std::vector<Vertex>;

// Makes numbers of any names: vertices of one component have the same number, those of different
// ones do not. Numbers are below the number of vertices.
Partition named_by_smallest(const std::vector<Vertex>& component_of);

std::size_t count_components(const Partition& partition);

// The components of more than one vertex, the largest first.
std::vector<std::vector<Vertex>> circles(const Partition& partition);

}  // namespace scc
