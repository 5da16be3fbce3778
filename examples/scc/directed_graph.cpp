#include "directed_graph.hpp"

namespace scc {

DirectedGraph graph_of(Vertex vertices, std::span<const std::pair<Vertex, Vertex>> edges) {
  DirectedGraph graph;
  graph.begin.resize(std::size_t{vertices} + 1);
  for (const auto& [from, to] : edges) ++graph.begin[from + 1];
  for (Vertex v = 0; v < vertices; ++v) graph.begin[v + 1] += graph.begin[v];
  std::vector<std::size_t> next(graph.begin.begin(), graph.begin.end() - 1);
  graph.targets.resize(edges.size());
  for (const auto& [from, to] : edges) graph.targets[next[from]++] = to;
  return graph;
}

DirectedGraph dependency_graph(const debian::PackageGraph& packages, debian::Fields fields) {
  std::vector<std::pair<Vertex, Vertex>> edges;
  for (const debian::Link& link : packages.links) {
    if (link.fields.meets(fields)) edges.emplace_back(link.from, link.to);
  }
  return graph_of(static_cast<Vertex>(packages.names.size()), edges);
}

}  // namespace scc
