#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "armature/collectives.hpp"
#include "armature/container/graph.hpp"
#include "armature/container/vector.hpp"
#include "armature/error.hpp"
#include "armature/shared.hpp"
#include "armature/team.hpp"

// Algorithms on graphs. All are collective. A vertex's value lies with the vertex; what goes along
// an edge to another member is a one-way call, which travels with others. Rounds end with a fence.
// Results are vectors in which element i is vertex i's, whoever has the vertex.
//
// The graph is only read; its edges must not change meanwhile.
//
// Messages: in each round a call along each edge of the vertices that have changed, a fence and an
// allreduce; for the result a put for each vertex that lies elsewhere there. Counting triangles: a
// call along each edge, and one for each smaller neighbour of each vertex.

namespace armature {

/// Stands for the level of a vertex that no edge leads to, or one that was removed.
inline constexpr std::size_t unreached = std::numeric_limits<std::size_t>::max();

namespace detail {

/// Values that an algorithm keeps of a member's vertices.
template <class T>
struct VertexValues {
  VertexValues(std::size_t places, const T& value) : of(places, value), is_active(places) {}

  std::vector<T> of;
  std::vector<char> is_active;
  std::vector<std::size_t> active;  // numbers of vertices
  std::uint64_t found = 0;

  void activate(std::size_t place, std::size_t id) {
    if (!std::exchange(is_active[place], 1)) active.push_back(id);
  }
};

/// At the owner of a vertex: it takes the value if it is smaller than its own.
template <class T>
struct LowerValue {
  shared_ref<VertexValues<T>> values;
  template <class Vertex>
  void operator()(Vertex vertex, T value) const {
    VertexValues<T>& mine = values.local();
    if (!(value < mine.of[vertex.place()])) return;
    mine.of[vertex.place()] = value;
    mine.activate(vertex.place(), vertex.id());
  }
};

/// Active vertices tell along(value, edge) to the ends of their edges, until nobody's value falls.
template <class T, class Along, class... Graph>
void lower_along(shared<VertexValues<T>>& values, Along along, const Graph&... graphs) {
  const Team& team = std::get<0>(std::tie(graphs...)).team();
  const LowerValue<T> lower{values.ref()};
  while (allreduce(team, !values->active.empty(), std::logical_or<>())) {
    const std::vector<std::size_t> active = std::exchange(values->active, {});
    const auto tell = [&](const auto& graph, std::size_t id) {
      const auto from = graph.local_vertex(id);
      values->is_active[from.place()] = 0;
      const T mine = values->of[from.place()];
      for (const auto& edge : from.edges())
        graph.async_visit(edge.target, lower, along(mine, edge));
    };
    for (const std::size_t id : active) (tell(graphs, id), ...);
    rmi_fence(team);
  }
}

template <class T, class V, class E>
distributed_vector<T> by_number(const distributed_graph<V, E>& graph, const std::vector<T>& of,
                                const T& none) {
  distributed_vector<T> all(graph.team(), graph.size(), none);
  for (const auto vertex : graph.local()) all[vertex.id()] = of[vertex.place()];
  all.fence();
  return all;
}

template <class V, class E>
void require_vertex(const char* algorithm, const distributed_graph<V, E>& graph, std::size_t id) {
  if (id >= graph.size())
    throw Error(Errc::bad_argument, std::string(algorithm) + ": there is no vertex " +
                                        std::to_string(id) + " in a graph of " +
                                        std::to_string(graph.size()));
}

/// At the owner of a vertex: notes a neighbour.
struct NoteNeighbour {
  shared_ref<VertexValues<std::vector<std::size_t>>> lists;
  template <class Vertex>
  void operator()(Vertex vertex, std::size_t neighbour) const {
    lists.local().of[vertex.place()].push_back(neighbour);
  }
};
/// At the owner of a vertex: counts those of its neighbours that are among `others`, in order.
struct CountCommon {
  shared_ref<VertexValues<std::vector<std::size_t>>> lists;
  template <class Vertex>
  void operator()(Vertex vertex, const std::vector<std::size_t>& others) const {
    auto& mine = lists.local();
    const auto& list = mine.of[vertex.place()];
    auto at = list.begin();
    for (const std::size_t other : others) {
      at = std::lower_bound(at, list.end(), other);
      if (at == list.end()) return;
      if (*at == other) ++mine.found;
    }
  }
};
/// At the owner of a vertex: adds to its value.
struct AddValue {
  shared_ref<VertexValues<double>> values;
  template <class Vertex>
  void operator()(Vertex vertex, double value) const {
    values.local().of[vertex.place()] += value;
  }
};

}  // namespace detail

/// Breadth-first search: element i is how many edges lead from `source` to vertex i at least, or
/// `unreached`. Throws Error(bad_argument) when there is no such vertex.
template <class V, class E>
[[nodiscard]] distributed_vector<std::size_t> breadth_first_levels(
    const distributed_graph<V, E>& graph, std::size_t source) {
  detail::require_vertex("breadth_first_levels", graph, source);
  graph.fence();
  shared<detail::VertexValues<std::size_t>> levels(graph.team(), graph.places(), unreached);
  if (graph.is_local(source))
    detail::LowerValue<std::size_t>{levels.ref()}(graph.local_vertex(source), std::size_t{0});
  detail::lower_along(
      levels, [](std::size_t level, const auto&) { return level + 1; }, graph);
  return detail::by_number(graph, levels->of, unreached);
}

/// Shortest paths: element i is the least sum of weight(edge) over the edges of a path from
/// `source` to vertex i, or infinity. Throws Error(bad_argument) for a weight that is negative or
/// not a number, on all members, and when there is no such vertex.
template <class V, class E, class Weight>
[[nodiscard]] distributed_vector<double> shortest_paths(const distributed_graph<V, E>& graph,
                                                        std::size_t source, Weight weight) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  detail::require_vertex("shortest_paths", graph, source);
  graph.fence();
  bool is_wrong = false;
  for (const auto vertex : graph.local())
    for (const auto& edge : vertex.edges())
      is_wrong = is_wrong || !(static_cast<double>(weight(edge)) >= 0);
  if (allreduce(graph.team(), is_wrong, std::logical_or<>()))
    throw Error(Errc::bad_argument, "shortest_paths: the weight of an edge is negative");
  shared<detail::VertexValues<double>> lengths(graph.team(), graph.places(), infinity);
  if (graph.is_local(source))
    detail::LowerValue<double>{lengths.ref()}(graph.local_vertex(source), 0.0);
  detail::lower_along(
      lengths,
      [&weight](double length, const auto& edge) {
        return length + static_cast<double>(weight(edge));
      },
      graph);
  return detail::by_number(graph, lengths->of, infinity);
}

/// Connected components, whichever way edges point: element i is the smallest number of a vertex
/// of vertex i's component; `unreached` for one that was removed. Makes the reversed graph.
template <class V, class E>
[[nodiscard]] distributed_vector<std::size_t> connected_components(
    const distributed_graph<V, E>& graph) {
  const auto reversed = graph.reversed();
  shared<detail::VertexValues<std::size_t>> labels(graph.team(), graph.places(), unreached);
  const detail::LowerValue<std::size_t> lower{labels.ref()};
  for (const auto vertex : graph.local()) lower(vertex, vertex.id());
  detail::lower_along(
      labels, [](std::size_t label, const auto&) { return label; }, graph, reversed);
  return detail::by_number(graph, labels->of, unreached);
}

struct pagerank_options {
  double damping = 0.85;
  /// Ends when the ranks' changes sum up to no more than that, or after so many rounds.
  double tolerance = 1e-9;
  int rounds_max = 100;
};

/// PageRank (Page, Brin, Motwani, Winograd, 1999): element i is vertex i's rank; they sum up to 1.
/// The rank of a vertex without edges is divided among all vertices.
template <class V, class E>
[[nodiscard]] distributed_vector<double> pagerank(const distributed_graph<V, E>& graph,
                                                  const pagerank_options& options = {}) {
  const Team& team = graph.team();
  const auto count = static_cast<double>(graph.vertex_count());
  shared<detail::VertexValues<double>> sums(team, graph.places(), 0.0);
  const detail::AddValue add{sums.ref()};
  std::vector<double> ranks(graph.places(), 1 / count);
  team.barrier();
  for (int round = 0; round < options.rounds_max; ++round) {
    double at_ends = 0;
    for (const auto vertex : graph.local()) {
      const auto& edges = vertex.edges();
      if (edges.empty()) at_ends += ranks[vertex.place()];
      const double share = ranks[vertex.place()] / static_cast<double>(edges.size());
      for (const auto& edge : edges) graph.async_visit(edge.target, add, share);
    }
    graph.fence();
    at_ends = allreduce(team, at_ends);
    double change = 0;
    for (const auto vertex : graph.local()) {
      const double next = (1 - options.damping) / count +
                          options.damping * (sums->of[vertex.place()] + at_ends / count);
      change += std::abs(next - std::exchange(ranks[vertex.place()], next));
      sums->of[vertex.place()] = 0;
    }
    // Nobody adds before all have begun anew.
    if (allreduce(team, change) <= options.tolerance) break;
  }
  return detail::by_number(graph, ranks, 0.0);
}

/// The number of triangles, whichever way edges point. Parallel edges count once, and edges from a
/// vertex to itself not at all.
template <class V, class E>
[[nodiscard]] std::uint64_t triangle_count(const distributed_graph<V, E>& graph) {
  graph.fence();
  // The neighbours of each vertex that have smaller numbers.
  shared<detail::VertexValues<std::vector<std::size_t>>> lists(graph.team(), graph.places(),
                                                               std::vector<std::size_t>());
  const detail::NoteNeighbour note{lists.ref()};
  graph.team().barrier();
  for (const auto vertex : graph.local())
    for (const auto& edge : vertex.edges())
      if (edge.target != vertex.id())
        graph.async_visit(std::max(edge.target, vertex.id()), note,
                          std::min(edge.target, vertex.id()));
  graph.fence();
  for (auto& list : lists->of) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  graph.team().barrier();
  const detail::CountCommon count{lists.ref()};
  for (const auto& list : lists->of)
    for (std::size_t k = 1; k < list.size(); ++k)
      graph.async_visit(
          list[k], count,
          std::vector<std::size_t>(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(k)));
  graph.fence();
  return allreduce(graph.team(), lists->found);
}

/// Edge `number` of a random graph of 2^scale vertices, R-MAT (Chakrabarti, Zhan, Faloutsos, 2004)
/// with the parameters of Graph 500: a few vertices have very many edges. The same on every rank.
[[nodiscard]] inline std::pair<std::size_t, std::size_t> rmat_edge(int scale, std::uint64_t seed,
                                                                   std::uint64_t number) {
  std::uint64_t state = seed * 0x9e3779b97f4a7c15U + number * 0xd1342543de82ef95U;
  std::pair<std::size_t, std::size_t> edge;
  for (int level = 0; level < scale; ++level) {
    std::uint64_t x = state += 0x9e3779b97f4a7c15U;  // splitmix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    const std::uint64_t percent = (x ^ (x >> 31)) % 100;
    edge.first = 2 * edge.first + (percent >= 76 ? 1 : 0);
    edge.second = 2 * edge.second + ((percent >= 57 && percent < 76) || percent >= 95 ? 1 : 0);
  }
  return edge;
}

/// Collective: adds so many of them to a graph of 2^scale vertices. Throws Error(bad_argument) for
/// one of another size, and for one of which vertices were removed: on all members.
template <class V, class E>
void add_rmat_edges(const distributed_graph<V, E>& graph, int scale, std::uint64_t count,
                    std::uint64_t seed) {
  if (scale < 0 || scale > 62 || graph.size() != std::size_t{1} << scale)
    throw Error(Errc::bad_argument, "add_rmat_edges: a graph of " + std::to_string(graph.size()) +
                                        " vertices has not 2^" + std::to_string(scale));
  if (const std::size_t left = graph.vertex_count(); left != graph.size())
    throw Error(Errc::bad_argument, "add_rmat_edges: " + std::to_string(graph.size() - left) +
                                        " of the graph's " + std::to_string(graph.size()) +
                                        " vertices were removed: edges may lead to them");
  const auto members = static_cast<std::uint64_t>(graph.team().size());
  for (auto i = static_cast<std::uint64_t>(graph.team().rank()); i < count; i += members) {
    const auto [from, to] = rmat_edge(scale, seed, i);
    graph.async_add_edge(from, to);
  }
  graph.fence();
}

}  // namespace armature
