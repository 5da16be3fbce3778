// A directed graph as one rank holds it: vertices are numbers, each with a list of the vertices
// that its edges lead to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "debian/package_graph.hpp"

namespace scc {

using Vertex = std::uint32_t;

struct DirectedGraph {
  std::vector<std::size_t> begin;  // vertex v's targets are begin[v] .. begin[v + 1]
  std::vector<Vertex> targets;

  Vertex vertices() const { return static_cast<Vertex>(begin.size() - 1); }
  std::size_t edges() const { return targets.size(); }
  std::span<const Vertex> of(Vertex v) const {
    return {targets.data() + begin[v], begin[v + 1] - begin[v]};
  }
};

DirectedGraph graph_of(Vertex vertices, std::span<const std::pair<Vertex, Vertex>> edges);

// An edge from each package to those that it names in one of `fields`.
DirectedGraph dependency_graph(const debian::PackageGraph& packages, debian::Fields fields);

}  // namespace scc
