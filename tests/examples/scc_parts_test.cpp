// Strongly connected components on one rank: Tarjan's algorithm on graphs whose components are
// known, the real graph's circles, and the picture.
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "command_line.hpp"
#include "debian/graph_source.hpp"
#include "directed_graph.hpp"
#include "partition.hpp"
#include "scc_random_edges.hpp"
#include "tarjan.hpp"
#include "time_plot.hpp"

namespace scc {
namespace {

Partition components_of(Vertex vertices, const Edges& edges) {
  return tarjan(graph_of(vertices, edges));
}

// [from * vertices + to]
std::vector<bool> reachable(Vertex vertices, const Edges& edges) {
  std::vector<bool> reaches(std::size_t{vertices} * vertices);
  for (Vertex v = 0; v < vertices; ++v) reaches[v * vertices + v] = true;
  for (const auto& [from, to] : edges) reaches[from * vertices + to] = true;
  for (Vertex over = 0; over < vertices; ++over) {
    for (Vertex from = 0; from < vertices; ++from) {
      for (Vertex to = 0; to < vertices; ++to) {
        if (reaches[from * vertices + over] && reaches[over * vertices + to]) {
          reaches[from * vertices + to] = true;
        }
      }
    }
  }
  return reaches;
}

std::vector<std::size_t> circle_sizes(const Partition& components) {
  std::vector<std::size_t> sizes;
  for (const auto& circle : circles(components)) sizes.push_back(circle.size());
  return sizes;
}

debian::PackageGraph bookworm() {
  return debian::read_graph(debian::find_source(DEBIAN_COMPACT_COPY, debian::Archives::all));
}

TEST(TarjanTest, a_chain_has_no_circle) {
  EXPECT_EQ(components_of(4, {{0, 1}, {1, 2}, {2, 3}}), (Partition{0, 1, 2, 3}));
}

TEST(TarjanTest, a_circle_is_one_component) {
  EXPECT_EQ(components_of(4, {{2, 3}, {3, 0}, {0, 1}, {1, 2}}), (Partition{0, 0, 0, 0}));
}

TEST(TarjanTest, a_bridge_keeps_two_circles_apart) {
  const Edges edges = {{0, 1}, {1, 0}, {1, 2}, {2, 3}, {3, 4}, {4, 3}};
  EXPECT_EQ(components_of(5, edges), (Partition{0, 0, 2, 3, 3}));
}

TEST(TarjanTest, a_vertex_with_an_edge_to_itself_is_a_component_of_one) {
  EXPECT_EQ(components_of(2, {{1, 1}}), (Partition{0, 1}));
}

TEST(TarjanTest, no_vertices_have_no_components) { EXPECT_TRUE(components_of(0, {}).empty()); }

TEST(TarjanTest, a_chain_of_a_million_needs_no_deep_stack) {
  constexpr Vertex vertices = 1'000'000;
  Edges edges;
  for (Vertex v = 0; v + 1 < vertices; ++v) edges.emplace_back(v, v + 1);
  EXPECT_EQ(count_components(components_of(vertices, edges)), vertices);
  edges.emplace_back(vertices - 1, 0);
  EXPECT_EQ(count_components(components_of(vertices, edges)), 1U);
}

TEST(TarjanTest, two_vertices_share_a_component_when_each_reaches_the_other) {
  std::mt19937 random(11);  // NOLINT(cert-msc51-cpp): the same cases every time
  for (int turn = 0; turn < 200; ++turn) {
    const auto vertices = static_cast<Vertex>(1 + turn % 30);
    const Edges edges = random_edges(random, vertices, random() % (2 * vertices));
    const Partition components = components_of(vertices, edges);
    const auto reaches = reachable(vertices, edges);
    for (Vertex a = 0; a < vertices; ++a) {
      for (Vertex b = 0; b < vertices; ++b) {
        const bool both = reaches[a * vertices + b] && reaches[b * vertices + a];
        ASSERT_EQ(components[a] == components[b], both) << turn;
      }
    }
  }
}

TEST(PartitionTest, circles_are_listed_the_largest_first) {
  const Partition components = named_by_smallest({7, 5, 5, 3, 7, 7, 6, 0});
  EXPECT_EQ(components, (Partition{0, 1, 1, 3, 0, 0, 6, 7}));
  EXPECT_EQ(count_components(components), 5U);
  EXPECT_EQ(circles(components), (std::vector<std::vector<Vertex>>{{0, 4, 5}, {1, 2}}));
}

TEST(DependencyGraphTest, bookworm_has_58_circles_and_the_largest_is_ruby) {
  const auto packages = bookworm();
  const auto components = tarjan(dependency_graph(packages, debian::Fields::required()));
  const auto found = circles(components);
  ASSERT_EQ(found.size(), 58U);
  EXPECT_EQ(found[0].size(), 7U);
  EXPECT_EQ(packages.names[found[0][0]], "libruby");
  EXPECT_EQ(found[1].size(), 6U);
}

TEST(DependencyGraphTest, with_suggestions_a_tenth_of_bookworm_is_one_circle) {
  const auto components = tarjan(dependency_graph(bookworm(), debian::Fields::all()));
  const auto sizes = circle_sizes(components);
  ASSERT_EQ(sizes.size(), 1802U);
  EXPECT_EQ(sizes[0], 6577U);
}

TEST(TimePlotTest, every_factor_has_its_place) {
  const std::vector<GraphReport> reports = {{"a < b", {{1, 0.02, 9, 3}, {0, 0.01, 8, 3}}, 0.001}};
  const std::string svg = draw(reports, 4);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_NE(svg.find("1: 20.00 ms, 9 calls"), std::string::npos);
  EXPECT_NE(svg.find("adaptive: 10.00 ms, 8 calls"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(CommandLineTest, options_are_read_and_mistakes_named) {
  const auto right =
      parse_command_line({"--aggregation", "1,64,adaptive", "--fields=depends", "--repeat", "2"});
  EXPECT_EQ(right.message, "");
  EXPECT_EQ(right.options.aggregations, (std::vector<std::uint32_t>{1, 64, 0}));
  EXPECT_EQ(right.options.graphs, std::vector<debian::Fields>{debian::Field::depends});
  EXPECT_EQ(right.options.repeat, 2);
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--aggregation", "0"},
                                             {"--aggregation", "1,"},
                                             {"--repeat", "0"},
                                             {"--fields", "provides"},
                                             {"--tolerance", "1"}}) {
    EXPECT_TRUE(parse_command_line(wrong).is_error) << wrong[0];
  }
}

}  // namespace
}  // namespace scc
