#pragma once

#include <cstddef>
#include <memory>
#include <ranges>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "armature/collectives.hpp"
#include "armature/container/gather.hpp"
#include "armature/container/placed_part.hpp"
#include "armature/container/vertex_places.hpp"
#include "armature/error.hpp"
#include "armature/rmi.hpp"
#include "armature/shared.hpp"
#include "armature/team.hpp"

namespace armature {

/// Stands for the data of vertices or edges that carry nothing.
struct no_data {
  friend bool operator==(no_data, no_data) = default;
};

template <class E>
struct graph_edge {
  std::size_t target = 0;
  [[no_unique_address]] E data = {};
};

template <class V, class E>
class graph_ref;

namespace detail {

template <class V, class E>
struct VertexRecord {
  [[no_unique_address]] V data = {};
  std::vector<graph_edge<E>> edges;
};

template <class V, class E>
class GraphPart : public PlacedPart<GraphPart<V, E>> {
 public:
  GraphPart(const Team& team, std::size_t vertices, Placement placement)
      : PlacedPart<GraphPart>(team), places_(team.rank(), team.size(), placement) {
    add_vertices(vertices);
  }

  class Pin {
   public:
    explicit Pin(GraphPart& part) : part_(part) { ++part_.pins_; }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    ~Pin() {
      if (--part_.pins_ == 0 && !part_.late_.empty()) part_.add_late();
    }

   private:
    GraphPart& part_;
  };
  [[nodiscard]] bool is_pinned() const { return pins_ > 0; }

  /// Called with one Pin. Where there are more, somebody may be going through a vertex's edges, so
  /// the new one waits until he is done.
  void add_edge(std::size_t from, graph_edge<E> edge) {
    const std::size_t at = index(from);
    if (pins_ > 1)
      late_.emplace_back(at, std::move(edge));
    else
      records[at].edges.push_back(std::move(edge));
  }

  /// Called by all members alike, while no calls are under way.
  void add_vertices(std::size_t count) {
    places_.add(count);
    records.resize(places_.mine());
  }
  /// Removes these vertices, in a list for each member. Called by all members alike, while no calls
  /// are under way.
  void remove(const std::vector<std::vector<std::size_t>>& ids) {
    for (const auto& of_member : ids) removed_.insert(of_member.begin(), of_member.end());
    if (removed_.empty()) return;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (was_removed(id(i)))
        records[i] = {};
      else
        std::erase_if(records[i].edges,
                      [this](const auto& edge) { return was_removed(edge.target); });
    }
  }
  [[nodiscard]] const VertexPlaces& places() const { return places_; }
  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] int owner(std::size_t id) const { return places_.owner(id); }
  /// The place of one of my vertices among the records, and its number.
  [[nodiscard]] std::size_t index(std::size_t id) const { return places_.index(id); }
  [[nodiscard]] std::size_t id(std::size_t index) const { return places_.id(index); }
  [[nodiscard]] std::vector<std::size_t> removed() const {
    return {removed_.begin(), removed_.end()};
  }
  [[nodiscard]] bool was_removed(std::size_t id) const {
    return !removed_.empty() && removed_.contains(id);
  }

 private:
  void add_late() {
    for (auto& [at, edge] : std::exchange(late_, {})) records[at].edges.push_back(std::move(edge));
  }

  VertexPlaces places_;
  std::unordered_set<std::size_t> removed_;  // of all members
  int pins_ = 0;
  std::vector<std::pair<std::size_t, graph_edge<E>>> late_;

 public:
  std::vector<VertexRecord<V, E>> records;
};

}  // namespace detail

/// A vertex, on the rank that owns it.
template <class V, class E>
class graph_vertex {
 public:
  using edge = graph_edge<E>;
  graph_vertex(detail::GraphPart<V, E>& part, std::size_t index) : part_(&part), index_(index) {}

  [[nodiscard]] std::size_t id() const { return part_->id(index_); }
  /// The vertex's place among those of its owner, from 0 to graph_ref::places() - 1: an index for
  /// what a program keeps of them beside the graph.
  [[nodiscard]] std::size_t place() const { return index_; }
  [[nodiscard]] V& data() const { return record().data; }
  [[nodiscard]] std::vector<edge>& edges() const { return record().edges; }
  [[nodiscard]] graph_ref<V, E> graph() const;

 private:
  [[nodiscard]] detail::VertexRecord<V, E>& record() const { return part_->records[index_]; }
  detail::GraphPart<V, E>* part_;
  std::size_t index_;
};

/// A distributed_graph as a value that may be captured and passed around, also in remote calls.
///
/// Functions that visit run at the vertex's owner, one at a time, as f(graph_vertex, args...); they
/// are lambdas or function objects that capture nothing or trivially copyable values. Every call
/// that names a vertex throws Error(bad_argument) when there is none of that number, or no more.
template <class V, class E>
class graph_ref {
 public:
  using vertex = graph_vertex<V, E>;
  using edge = graph_edge<E>;
  using Part = detail::GraphPart<V, E>;

  graph_ref() = default;
  explicit graph_ref(shared_ref<Part> parts) : parts_(parts) {}

  [[nodiscard]] const Team& team() const { return part().team(); }
  /// One more than the greatest number that a vertex has, or had before it was removed.
  [[nodiscard]] std::size_t size() const { return part().size(); }
  [[nodiscard]] bool is_local(std::size_t id) const {
    Part& here = part();
    return here.owner(checked(here, id)) == here.team().rank();
  }
  /// How many vertices I have, those that were removed included.
  [[nodiscard]] std::size_t places() const { return part().records.size(); }
  /// A vertex of mine.
  [[nodiscard]] vertex local_vertex(std::size_t id) const {
    Part& here = part();
    here.require_rank("distributed_graph::local_vertex");
    if (!is_local(id))
      throw Error(Errc::bad_argument, "distributed_graph: vertex " + std::to_string(id) +
                                          " belongs to another rank: visit it");
    return {here, here.index(id)};
  }
  /// My vertices, in the order of their numbers.
  [[nodiscard]] auto local() const {
    Part& here = part();
    here.require_rank("distributed_graph::local");
    return std::views::iota(std::size_t{0}, here.records.size()) |
           std::views::filter([&here](std::size_t i) { return !here.was_removed(here.id(i)); }) |
           std::views::transform([&here](std::size_t i) { return vertex(here, i); });
  }

  /// Statements are executed at the vertex's owner some time before the next fence ends; those of
  /// one rank for one vertex in the order they were made. The edge lies at `from`. One that arrives
  /// while for_all or a visitor is at work there is added when they are done.
  void async_add_edge(std::size_t from, std::size_t to, const E& data = {}) const {
    Part& here = part();
    (void)checked(here, to);
    here.send(
        here.owner(checked(here, from)),
        [](Part& owner, std::size_t source, std::size_t target, const E& e) {
          owner.add_edge(source, {target, e});
        },
        from, to, data);
  }
  template <detail::Visitor F, class... Args>
  void async_visit(std::size_t id, F f, const Args&... args) const {
    Part& here = part();
    here.send(here.owner(checked(here, id)), Visit<F>{f}, id, args...);
  }
  /// Waits for what f returns, executing calls of others meanwhile.
  template <detail::Visitor F, class... Args>
  auto visit(std::size_t id, F f, const Args&... args) const {
    Part& here = part();
    return here.ask(here.owner(checked(here, id)), Visit<F>{f}, id, args...);
  }

  friend bool operator==(graph_ref, graph_ref) = default;

 protected:
  [[nodiscard]] Part& part() const { return parts_.local(); }

 private:
  template <class F>
  struct Visit {
    F f;
    template <class... Args>
    decltype(auto) operator()(Part& part, std::size_t id, Args&&... args) {
      return f(vertex(part, part.index(id)), std::forward<Args>(args)...);
    }
  };
  static std::size_t checked(const Part& part, std::size_t id) {
    if (id >= part.size())
      throw Error(Errc::bad_argument, "distributed_graph: there is no vertex " +
                                          std::to_string(id) + " in a graph of " +
                                          std::to_string(part.size()));
    if (part.was_removed(id))
      throw Error(Errc::bad_argument, "distributed_graph: vertex " + std::to_string(id) +
                                          " of a graph of " + std::to_string(part.size()) +
                                          " was removed");
    return id;
  }

  shared_ref<Part> parts_;
};

template <class V, class E>
graph_ref<V, E> graph_vertex<V, E>::graph() const {
  return graph_ref<V, E>(part_->self());
}

/// A directed graph of the vertices 0 .. size-1, without those that were removed, each with its
/// data and its outgoing edges at the member that owns it. Data of edges must be marshallable. All
/// of graph_ref's calls, and collective ones.
template <class V = no_data, class E = no_data>
class distributed_graph : private detail::PartOwner<detail::GraphPart<V, E>>,
                          public graph_ref<V, E> {
  using Owner = detail::PartOwner<detail::GraphPart<V, E>>;

 public:
  distributed_graph(const Team& team, std::size_t vertices, Placement placement = Placement::block)
      : Owner(team, vertices, placement), graph_ref<V, E>(Owner::parts()) {}

  /// A value by which also remote calls can use the graph.
  [[nodiscard]] graph_ref<V, E> ref() const { return *this; }

  // -- collective; each begins with a fence
  /// Returns when all one-way calls that members made before, and those that these made, are done.
  void fence() const { rmi_fence(this->team()); }
  /// f(vertex) at its owner; what calls it makes are done on return.
  template <class F>
  void for_all(F f) const {
    fence();
    {
      const typename detail::GraphPart<V, E>::Pin pin(this->part());
      for (auto one : this->local()) f(one);
    }
    fence();
  }
  [[nodiscard]] std::size_t edge_count() const {
    fence();
    std::size_t mine = 0;
    for (const auto& record : this->part().records) mine += record.edges.size();
    return allreduce(this->team(), mine);
  }
  /// Adds so many vertices, the same number at all members, and returns the number of the first.
  /// They are divided among the members as those of a new graph. Throws Error(bad_argument) when
  /// members disagree.
  std::size_t add_vertices(std::size_t count) {
    fence();
    const Team& team = this->team();
    const std::size_t least = allreduce(team, count, Minimum());
    if (allreduce(team, count, Maximum()) != least)
      throw Error(Errc::bad_argument,
                  "distributed_graph: members add different numbers of vertices, here " +
                      std::to_string(count) + ", elsewhere " + std::to_string(least));
    const std::size_t first = this->size();
    this->part().add_vertices(count);
    team.barrier();  // nobody calls before
    return first;
  }
  /// Removes the vertices for which is_removed(vertex) holds, at their owners, with all edges from
  /// and to them. Returns how many. Their numbers are not used again.
  template <class F>
  std::size_t remove_vertices(F is_removed) {
    fence();
    std::vector<std::size_t> mine;
    for (const auto one : this->local())
      if (is_removed(one)) mine.push_back(one.id());
    const auto removed = detail::all_values(this->team(), mine);
    this->part().remove(removed);
    std::size_t count = 0;
    for (const auto& ids : removed) count += ids.size();
    this->team().barrier();  // nobody calls before
    return count;
  }
  /// How many vertices there are.
  [[nodiscard]] std::size_t vertex_count() const {
    fence();
    return allreduce(this->team(), static_cast<std::size_t>(std::ranges::distance(this->local())));
  }
  /// The graph with every edge turned round; vertices keep their numbers, places and data.
  [[nodiscard]] distributed_graph reversed() const {
    distributed_graph other(this->team(), 0, this->part().places().placement());
    for (const std::size_t count : this->part().places().counts()) other.part().add_vertices(count);
    other.part().remove({this->part().removed()});
    this->team().barrier();
    const auto turned = other.ref();
    for_all([&turned](auto from) {
      turned.local_vertex(from.id()).data() = from.data();
      for (const auto& link : from.edges())
        turned.async_add_edge(link.target, from.id(), link.data);
    });
    return other;
  }
};

}  // namespace armature
