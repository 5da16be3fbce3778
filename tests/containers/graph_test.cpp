#include <deque>
#include <random>
#include <set>

#include "cases.hpp"

using namespace containers;

namespace {

struct Seen {
  long depth = -1;
};
using Graph = armature::distributed_graph<Seen>;

/// Every rank adds its share of random edges; all know all edges.
std::vector<std::pair<std::size_t, std::size_t>> random_edges(std::size_t vertices,
                                                              std::size_t count) {
  std::mt19937_64 random(vertices);
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t i = 0; i < count; ++i)
    edges.emplace_back(random() % vertices, random() % vertices);
  return edges;
}

void add_edges(const Graph& graph, const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (static_cast<int>(i % static_cast<std::size_t>(ranks())) == me())
      graph.async_add_edge(edges[i].first, edges[i].second);
}

std::vector<long> serial_depths(std::size_t vertices,
                                const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  std::vector<std::vector<std::size_t>> out(vertices);
  for (const auto& [from, to] : edges) out[from].push_back(to);
  std::vector<long> depth(vertices, -1);
  std::deque<std::size_t> queue{0};
  depth[0] = 0;
  for (; !queue.empty(); queue.pop_front())
    for (const std::size_t to : out[queue.front()])
      if (depth[to] < 0) {
        depth[to] = depth[queue.front()] + 1;
        queue.push_back(to);
      }
  return depth;
}

/// Label-correcting: a vertex that is reached by a shorter way says so to its neighbours.
struct Reach {
  void operator()(Graph::vertex vertex, long depth) const {
    long& mine = vertex.data().depth;
    if (mine >= 0 && mine <= depth) return;
    mine = depth;
    for (const auto& edge : vertex.edges())
      vertex.graph().async_visit(edge.target, *this, depth + 1);
  }
};

}  // namespace

TEST(Graph, finds_the_depths_of_a_serial_breadth_first_search) {
  for (const auto placement : {armature::Placement::block, armature::Placement::cyclic}) {
    const std::size_t vertices = 2003;
    const auto edges = random_edges(vertices, 6000);
    Graph graph(world(), vertices, placement);
    add_edges(graph, edges);
    graph.fence();
    if (graph.is_local(0)) graph.async_visit(0, Reach(), 0L);
    graph.fence();
    const auto expected = serial_depths(vertices, edges);
    for (const auto vertex : graph.local()) EXPECT_EQ(vertex.data().depth, expected[vertex.id()]);
    EXPECT_EQ(graph.edge_count(), edges.size());
  }
}

TEST(Graph, every_vertex_belongs_to_one_rank) {
  for (const std::size_t vertices : {0, 1, 7, 100}) {
    for (const auto placement : {armature::Placement::block, armature::Placement::cyclic}) {
      const armature::distributed_graph<> graph(world(), vertices, placement);
      std::vector<int> owned(vertices);
      for (const auto vertex : graph.local()) ++owned[vertex.id()];
      for (std::size_t id = 0; id < vertices; ++id) EXPECT_EQ(owned[id] == 1, graph.is_local(id));
      allreduce(world(), std::span<int>(owned));
      EXPECT_EQ(owned, std::vector<int>(vertices, 1));
    }
  }
}

TEST(Graph, reversed_has_every_edge_turned_round) {
  const std::size_t vertices = 100;
  armature::distributed_graph<long, std::string> graph(world(), vertices);
  graph.for_all([&](auto vertex) {
    vertex.data() = static_cast<long>(vertex.id()) * 2;
    const std::size_t to = vertex.id() * 7 % vertices;
    graph.async_add_edge(vertex.id(), to, std::to_string(vertex.id()));
  });
  const auto turned = graph.reversed();
  EXPECT_EQ(turned.edge_count(), vertices);
  turned.for_all([](auto vertex) {
    EXPECT_EQ(vertex.data(), static_cast<long>(vertex.id()) * 2);
    for (const auto& edge : vertex.edges()) {
      EXPECT_EQ(edge.target * 7 % vertices, vertex.id());
      EXPECT_EQ(edge.data, std::to_string(edge.target));
    }
  });
  EXPECT_EQ(turned.visit(0, [](auto vertex) { return vertex.edges().size(); }), 1U);
}

TEST(Graph, vertices_come_and_go_with_their_edges) {
  using Edges = std::set<std::pair<std::size_t, std::size_t>>;
  for (const auto placement : {armature::Placement::block, armature::Placement::cyclic}) {
    armature::distributed_graph<long> graph(world(), 50, placement);
    Edges edges;
    std::set<std::size_t> removed;
    std::mt19937_64 random(7);
    for (const std::size_t added : {0, 1, 33, 5}) {
      const std::size_t first = graph.add_vertices(added);
      EXPECT_EQ(first + added, graph.size());
      graph.for_all([first](auto vertex) {
        if (vertex.id() >= first) vertex.data() = static_cast<long>(vertex.id()) * 3;
      });
      for (int i = 0; i < 100; ++i) {
        const std::size_t from = random() % graph.size(), to = random() % graph.size();
        if (removed.contains(from) || removed.contains(to)) continue;
        if (edges.emplace(from, to).second && me() == i % ranks()) graph.async_add_edge(from, to);
      }
      std::set<std::size_t> going;
      for (int i = 0; i < 7; ++i)
        if (const std::size_t id = random() % graph.size(); !removed.contains(id)) going.insert(id);
      EXPECT_EQ(graph.remove_vertices([&](auto vertex) { return going.contains(vertex.id()); }),
                going.size());
      removed.insert(going.begin(), going.end());
      std::erase_if(edges, [&](const auto& edge) {
        return going.contains(edge.first) || going.contains(edge.second);
      });

      EXPECT_EQ(graph.vertex_count(), graph.size() - removed.size());
      EXPECT_EQ(graph.edge_count(), edges.size());
      const auto turned = graph.reversed();
      EXPECT_EQ(turned.edge_count(), edges.size());
      EXPECT_EQ(turned.vertex_count(), graph.vertex_count());
      for (const auto vertex : graph.local()) {
        EXPECT_FALSE(removed.contains(vertex.id()));
        EXPECT_EQ(vertex.data(), vertex.id() < 50 ? 0L : static_cast<long>(vertex.id()) * 3);
        EXPECT_EQ(turned.local_vertex(vertex.id()).data(), vertex.data());
        for (const auto& edge : vertex.edges())
          EXPECT_TRUE(edges.contains({vertex.id(), edge.target}));
      }
      world().barrier();
    }
    const std::size_t gone = *removed.begin();
    const std::string text =
        "vertex " + std::to_string(gone) + " of a graph of " + std::to_string(graph.size());
    conformance::expect_error(armature::Errc::bad_argument,
                              {"distributed_graph", text, "was removed"},
                              [&] { graph.visit(gone, [](auto) {}); });
    conformance::expect_error(armature::Errc::bad_argument, {text, "was removed"},
                              [&] { graph.async_add_edge(*removed.rbegin(), gone); });
    world().barrier();
  }
}

TEST(Graph, members_add_the_same_number_of_vertices) {
  if (ranks() == 1) return;
  armature::distributed_graph<> graph(world(), 5);
  conformance::expect_error(
      armature::Errc::bad_argument, {"distributed_graph", "different numbers"},
      [&] { graph.add_vertices(static_cast<std::size_t>(me() == 0 ? 3 : 2)); });
  EXPECT_EQ(graph.size(), 5U);
}

TEST(Graph, a_vertex_that_is_not_there_is_an_error) {
  const armature::distributed_graph<> graph(world(), 5);
  conformance::expect_error(armature::Errc::bad_argument, {"no vertex 5", "5"},
                            [&] { graph.async_add_edge(0, 5); });
}
