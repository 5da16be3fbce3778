#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "armature/algorithm/graph.hpp"
#include "armature/collectives.hpp"
#include "armature/container/graph.hpp"
#include "armature/container/vector.hpp"
#include "armature/shared.hpp"

// Strongly connected components. Vertices that nothing is left to lead to, or from, are components
// of their own and go first (McLendon, Hendrickson, Plimpton, Rauchwerger, 2005). Each other one
// learns the smallest vertex that leads to it. Those from which that one can be reached in turn are
// its component (Orzan, 2004). This is repeated until none is left.
//
// Messages: in each round one call along each edge of a vertex that is left whenever what it has
// learnt changes; a fence and an allreduce for each step along paths.

namespace armature {

namespace detail {

/// A vertex, as the search for components sees it.
struct StrongVertex {
  std::size_t component = unreached;      // it is finished where it has one
  std::size_t smallest = unreached;       // that leads to it
  std::size_t left_in = 0, left_out = 0;  // edges from and to those that are left
};
struct StrongVertices {
  explicit StrongVertices(std::size_t places) : of(places), is_active(places) {}
  std::vector<StrongVertex> of;
  std::vector<char> is_active;
  std::vector<std::size_t> active;  // numbers of vertices

  void activate(std::size_t place, std::size_t id) {
    if (!std::exchange(is_active[place], 1)) active.push_back(id);
  }
};

template <class Graph>
class StrongSearch {
  using Ref = decltype(std::declval<const Graph&>().ref());
  using Vertex = typename Ref::vertex;

  /// The call of a vertex that is finished to its neighbours, and theirs to their own when nothing
  /// is left on one of their sides.
  struct Lose {
    shared_ref<StrongVertices> vertices;
    Ref forward, backward;
    void operator()(Vertex vertex, bool comes_in) const {
      StrongVertex& mine = vertices.local().of[vertex.place()];
      if (mine.component != unreached) return;
      if (--(comes_in ? mine.left_in : mine.left_out) > 0) return;
      mine.component = vertex.id();
      tell(vertex.id());
    }
    void tell(std::size_t id) const {
      for (const auto& edge : forward.local_vertex(id).edges())
        if (edge.target != id) forward.async_visit(edge.target, *this, true);
      for (const auto& edge : backward.local_vertex(id).edges())
        if (edge.target != id) forward.async_visit(edge.target, *this, false);
    }
  };
  struct Learn {
    shared_ref<StrongVertices> vertices;
    void operator()(Vertex vertex, std::size_t smallest) const {
      StrongVertices& all = vertices.local();
      StrongVertex& mine = all.of[vertex.place()];
      if (mine.component != unreached || smallest >= mine.smallest) return;
      mine.smallest = smallest;
      all.activate(vertex.place(), vertex.id());
    }
  };
  /// Along an edge backwards: the vertex leads to `root`, which leads to it if that is its
  /// smallest.
  struct Join {
    shared_ref<StrongVertices> vertices;
    void operator()(Vertex vertex, std::size_t root) const {
      StrongVertices& all = vertices.local();
      StrongVertex& mine = all.of[vertex.place()];
      if (mine.component != unreached || mine.smallest != root) return;
      mine.component = root;
      all.activate(vertex.place(), vertex.id());
    }
  };

 public:
  explicit StrongSearch(const Graph& graph)
      : graph_(graph), reversed_(graph.reversed()), vertices_(graph.team(), graph.places()) {}

  std::vector<std::size_t> run() {
    begin();
    while (allreduce(graph_.team(), is_anything_left(), std::logical_or<>())) {
      const Learn learn{vertices_.ref()};
      for_left([&](Vertex vertex) {
        vertices_->of[vertex.place()].smallest = unreached;
        learn(vertex, vertex.id());
      });
      graph_.team().barrier();  // nobody learns before all have begun anew
      spread(graph_, learn, [](const StrongVertex& vertex) { return vertex.smallest; });
      const Join join{vertices_.ref()};
      for_left([&](Vertex vertex) { join(vertex, vertex.id()); });
      graph_.team().barrier();
      spread(
          reversed_, join, [](const StrongVertex& vertex) { return vertex.component; }, &finished_);
      const Lose lose{vertices_.ref(), graph_.ref(), reversed_.ref()};
      for (const std::size_t id : std::exchange(finished_, {})) lose.tell(id);
      graph_.fence();
    }
    std::vector<std::size_t> components;
    for (const StrongVertex& vertex : vertices_->of) components.push_back(vertex.component);
    return components;
  }

 private:
  /// Counts edges, and finishes those that have none on one side.
  void begin() {
    const auto count = [](const Vertex& vertex) {
      return static_cast<std::size_t>(std::ranges::count_if(
          vertex.edges(), [&](const auto& edge) { return edge.target != vertex.id(); }));
    };
    for (const Vertex vertex : graph_.local()) {
      StrongVertex& mine = vertices_->of[vertex.place()];
      mine.left_out = count(vertex);
      mine.left_in = count(reversed_.local_vertex(vertex.id()));
      if (mine.left_out > 0 && mine.left_in > 0) continue;
      mine.component = vertex.id();
      finished_.push_back(vertex.id());
    }
    graph_.team().barrier();  // nobody loses an edge before all have counted
    const Lose lose{vertices_.ref(), graph_.ref(), reversed_.ref()};
    for (const std::size_t id : std::exchange(finished_, {})) lose.tell(id);
    graph_.fence();
  }
  template <class F>
  void for_left(F f) {
    for (const Vertex vertex : graph_.local())
      if (vertices_->of[vertex.place()].component == unreached) f(vertex);
  }
  [[nodiscard]] bool is_anything_left() {
    bool is = false;
    for_left([&is](const Vertex&) { is = true; });
    return is;
  }
  /// Active vertices tell what value_of makes of them along their edges, until none is active.
  template <class Tell, class Value>
  void spread(const Graph& along, const Tell& tell, Value value_of,
              std::vector<std::size_t>* told = nullptr) {
    while (allreduce(graph_.team(), !vertices_->active.empty(), std::logical_or<>())) {
      for (const std::size_t id : std::exchange(vertices_->active, {})) {
        const Vertex vertex = along.local_vertex(id);
        vertices_->is_active[vertex.place()] = 0;
        const std::size_t value = value_of(vertices_->of[vertex.place()]);
        for (const auto& edge : vertex.edges()) graph_.async_visit(edge.target, tell, value);
        if (told != nullptr) told->push_back(id);
      }
      graph_.fence();
    }
  }

  const Graph& graph_;
  Graph reversed_;
  shared<StrongVertices> vertices_;
  std::vector<std::size_t> finished_;
};

}  // namespace detail

/// Strongly connected components: vertices that lead to each other along edges. Element i is the
/// smallest number of a vertex of vertex i's component; `unreached` for one that was removed. Makes
/// the reversed graph.
template <class V, class E>
[[nodiscard]] distributed_vector<std::size_t> strong_components(
    const distributed_graph<V, E>& graph) {
  detail::StrongSearch<distributed_graph<V, E>> search(graph);
  return detail::by_number(graph, search.run(), unreached);
}

}  // namespace armature
