#pragma once

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "directed_graph.hpp"

namespace scc {

using Edges = std::vector<std::pair<Vertex, Vertex>>;

inline Edges random_edges(std::mt19937& random, Vertex vertices, std::size_t count) {
  const auto vertex = [&] { return static_cast<Vertex>(random() % vertices); };
  Edges edges(count);
  for (auto& [from, to] : edges) {
    from = vertex();
    to = vertex();
  }
  return edges;
}

}  // namespace scc
