#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "armature/algorithm/graph.hpp"
#include "armature/container/graph.hpp"
#include "armature/container/vector.hpp"
#include "armature/shared.hpp"

// Depth-first search. One search is at one vertex at a time: the member that has it goes on while
// it stays there, and hands the search on to the next one by a call, while the others wait at a
// fence (armi-rmi-2003, 3.6). Several searches are under way at once.
//
// Messages: for each search at most two calls for each edge between members; one fence for all.

namespace armature {

namespace detail {

/// Marks that the searches have left at a member's vertices.
class DepthFirstMarks {
 public:
  DepthFirstMarks(std::size_t searches, std::size_t places)
      : of_(searches, std::vector<Mark>(places)) {}

  struct Mark {
    std::size_t order = unreached;
    std::size_t parent = unreached;
    std::size_t edge = 0;  // how many of its edges have been gone along
  };
  [[nodiscard]] std::vector<Mark>& of(std::size_t search) { return of_[search]; }

 private:
  std::vector<std::vector<Mark>> of_;
};

/// A step of a search, at the owner of a vertex. It comes along an edge, or back over one.
struct DepthFirstStep {
  shared_ref<DepthFirstMarks> marks;
  std::size_t search = 0;

  /// `found`: how many vertices there are before the next.
  template <class Vertex>
  void operator()(Vertex vertex, std::size_t from, std::size_t found, bool comes_back) const {
    const auto graph = vertex.graph();
    auto& mine = marks.local().of(search);
    for (;;) {
      auto& mark = mine[vertex.place()];
      std::size_t next = from;
      const std::size_t here = vertex.id();
      if (!comes_back && mark.order != unreached) {
        comes_back = true;
      } else {
        if (!comes_back) {
          mark.order = found++;
          mark.parent = from;
        }
        const auto& edges = vertex.edges();
        comes_back = mark.edge == edges.size();
        next = comes_back ? mark.parent : edges[mark.edge++].target;
        if (next == unreached) return;  // from where it began
      }
      if (!graph.is_local(next)) return graph.async_visit(next, *this, here, found, comes_back);
      vertex = graph.local_vertex(next);
      from = here;
    }
  }
};

}  // namespace detail

/// Depth-first searches from several vertices, each over the whole graph: element i of result k is
/// how many vertices search k found before vertex i, or `unreached`. Edges are gone along in the
/// order in which their vertex has them. Throws Error(bad_argument) when there is no such vertex.
template <class V, class E>
[[nodiscard]] std::vector<distributed_vector<std::size_t>> depth_first_orders(
    const distributed_graph<V, E>& graph, std::span<const std::size_t> sources) {
  for (const std::size_t source : sources)
    detail::require_vertex("depth_first_orders", graph, source);
  graph.fence();
  shared<detail::DepthFirstMarks> marks(graph.team(), sources.size(), graph.places());
  for (std::size_t k = 0; k < sources.size(); ++k)
    if (graph.is_local(sources[k]))
      graph.async_visit(sources[k], detail::DepthFirstStep{marks.ref(), k}, unreached,
                        std::size_t{0}, false);
  graph.fence();
  std::vector<distributed_vector<std::size_t>> orders;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    std::vector<std::size_t> mine;
    for (const auto& mark : marks->of(k)) mine.push_back(mark.order);
    orders.push_back(detail::by_number(graph, mine, unreached));
  }
  return orders;
}
template <class V, class E>
[[nodiscard]] distributed_vector<std::size_t> depth_first_order(
    const distributed_graph<V, E>& graph, std::size_t source) {
  return std::move(depth_first_orders(graph, std::span(&source, 1)).front());
}

}  // namespace armature
