// The search by remote methods on all ranks, against Tarjan's algorithm on each.
#include <random>
#include <vector>

#include "../conformance/conformance.hpp"
#include "component_search.hpp"
#include "directed_graph.hpp"
#include "graph_part.hpp"
#include "partition.hpp"
#include "scc_random_edges.hpp"
#include "tarjan.hpp"

namespace scc {
namespace {

using conformance::me;
using conformance::world;

struct Found {
  Partition components;
  int rounds;
};

Found search(const DirectedGraph& graph) {
  const GraphPart part = distribute(world(), me() == 0 ? &graph : nullptr);
  const SearchResult result = find_components(world(), part);
  return {named_by_smallest(gather(world(), part.dealing, result.component)), result.rounds};
}

void expect_components(Vertex vertices, const Edges& edges) {
  const DirectedGraph graph = graph_of(vertices, edges);
  EXPECT_EQ(search(graph).components, tarjan(graph));
}

Edges circle(Vertex first, Vertex length) {
  Edges edges;
  for (Vertex i = 0; i < length; ++i) edges.emplace_back(first + i, first + (i + 1) % length);
  return edges;
}

TEST(SearchTest, an_empty_graph_needs_no_round) {
  const Found found = search(graph_of(0, {}));
  EXPECT_TRUE(found.components.empty());
  EXPECT_EQ(found.rounds, 0);
}

TEST(SearchTest, vertices_without_edges_are_trimmed) { expect_components(100, {}); }

TEST(SearchTest, a_chain_is_trimmed_in_one_round) {
  Edges edges;
  for (Vertex v = 0; v < 999; ++v) edges.emplace_back(v, v + 1);
  const DirectedGraph graph = graph_of(1000, edges);
  const Found found = search(graph);
  EXPECT_EQ(found.components, tarjan(graph));
  EXPECT_EQ(found.rounds, 1);
}

TEST(SearchTest, a_circle_is_found_in_one_round) {
  const Found found = search(graph_of(1000, circle(0, 1000)));
  EXPECT_EQ(found.components, Partition(1000, 0));
  EXPECT_EQ(found.rounds, 1);
}

TEST(SearchTest, a_bridge_keeps_two_circles_apart) {
  Edges edges = circle(0, 10);
  for (const auto& edge : circle(10, 20)) edges.push_back(edge);
  edges.emplace_back(3, 17);
  expect_components(30, edges);
}

TEST(SearchTest, circles_apart_are_found_in_one_round) {
  Edges edges;
  for (Vertex first = 0; first < 300; first += 3) {
    for (const auto& edge : circle(first, 3)) edges.push_back(edge);
  }
  const Found found = search(graph_of(300, edges));
  EXPECT_EQ(count_components(found.components), 100U);
  EXPECT_EQ(found.rounds, 1);
}

TEST(SearchTest, a_vertex_with_an_edge_to_itself_is_a_component_of_one) {
  expect_components(3, {{0, 0}, {0, 1}, {1, 2}, {2, 2}, {2, 2}});
}

TEST(SearchTest, a_chain_of_circles_is_taken_apart) {
  Edges edges;
  for (Vertex first = 0; first < 120; first += 4) {
    for (const auto& edge : circle(first, 4)) edges.push_back(edge);
    if (first > 0) edges.emplace_back(first - 1, first);
  }
  expect_components(120, edges);
}

TEST(SearchTest, random_graphs_from_sparse_to_dense) {
  std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): the same cases on all ranks
  for (const std::size_t degree : {1, 2, 3, 8}) {
    for (const Vertex vertices : {2U, 17U, 300U, 2000U}) {
      expect_components(vertices, random_edges(random, vertices, vertices * degree / 2 + degree));
    }
  }
}

TEST(SearchTest, the_aggregation_factor_makes_no_difference_to_what_is_found) {
  std::mt19937 random(6);  // NOLINT(cert-msc51-cpp): the same cases on all ranks
  const DirectedGraph graph = graph_of(500, random_edges(random, 500, 700));
  const armature::RmiSettings before = armature::rmi_settings();
  for (const std::uint32_t aggregation : {1, 7, 2048, 0}) {
    armature::RmiSettings settings = before;
    settings.aggregation = aggregation;
    armature::set_rmi_settings(settings);
    EXPECT_EQ(search(graph).components, tarjan(graph)) << aggregation;
  }
  armature::set_rmi_settings(before);
}

}  // namespace
}  // namespace scc
