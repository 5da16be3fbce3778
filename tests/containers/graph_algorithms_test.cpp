// Algorithms on R-MAT graphs against serial ones.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cases.hpp"

using armature::Placement;
using armature::unreached;
using containers::me;
using containers::ranks;
using containers::world;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Link {
  std::size_t to;
  double weight;
};
using Serial = std::vector<std::vector<Link>>;
using LinkGraph = armature::distributed_graph<armature::no_data, double>;

double weight_of(std::uint64_t number) { return static_cast<double>(number * 37 % 100); }

/// A serial graph of 2^scale vertices, and the same distributed.
struct Both {
  Both(int scale, std::uint64_t count, std::uint64_t seed, Placement placement)
      : serial(std::size_t{1} << scale), graph(world(), serial.size(), placement) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto [from, to] = armature::rmat_edge(scale, seed, i);
      serial[from].push_back({to, weight_of(i)});
      if (i % static_cast<std::uint64_t>(ranks()) == static_cast<std::uint64_t>(me()))
        graph.async_add_edge(from, to, weight_of(i));
    }
    graph.fence();
  }
  Serial serial;
  LinkGraph graph;
};

template <class F>
void for_graphs(F check) {
  for (const Placement placement : {Placement::block, Placement::cyclic})
    for (const auto& [scale, count] :
         {std::pair(0, 1UL), {3, 0UL}, {5, 20UL}, {7, 100UL}, {7, 900UL}}) {
      const testing::ScopedTrace trace(__FILE__, __LINE__,
                                       std::to_string(scale) + ", " + std::to_string(count));
      Both both(scale, count, 5, placement);
      check(both.serial, both.graph);
      if (testing::Test::HasFailure()) return;
    }
}

std::vector<double> dijkstra(const Serial& serial, std::size_t source, bool is_counted) {
  std::vector<double> lengths(serial.size(), infinity);
  std::priority_queue<std::pair<double, std::size_t>, std::vector<std::pair<double, std::size_t>>,
                      std::greater<>>
      next;
  lengths[source] = 0;
  next.emplace(0, source);
  while (!next.empty()) {
    const auto [length, at] = next.top();
    next.pop();
    if (length > lengths[at]) continue;
    for (const Link& link : serial[at])
      if (const double longer = length + (is_counted ? 1 : link.weight);
          longer < lengths[link.to]) {
        lengths[link.to] = longer;
        next.emplace(longer, link.to);
      }
  }
  return lengths;
}

std::vector<std::set<std::size_t>> neighbours(const Serial& serial) {
  std::vector<std::set<std::size_t>> all(serial.size());
  for (std::size_t i = 0; i < serial.size(); ++i)
    for (const Link& link : serial[i]) {
      all[i].insert(link.to);
      all[link.to].insert(i);
    }
  return all;
}

template <class T>
std::vector<T> read_all(const armature::distributed_vector<T>& v) {
  auto all = v.read(0, v.size());
  v.fence();
  return all;
}

}  // namespace

TEST(GraphAlgorithms, levels_of_a_breadth_first_search_are_the_fewest_edges) {
  for_graphs([](const Serial& serial, const LinkGraph& graph) {
    for (const std::size_t source : {std::size_t{0}, serial.size() / 2}) {
      const auto expected = dijkstra(serial, source, true);
      const auto levels = read_all(armature::breadth_first_levels(graph, source));
      for (std::size_t i = 0; i < serial.size(); ++i)
        EXPECT_EQ(levels[i],
                  expected[i] == infinity ? unreached : static_cast<std::size_t>(expected[i]));
    }
  });
}

TEST(GraphAlgorithms, shortest_paths_agree_with_dijkstras) {
  for_graphs([](const Serial& serial, const LinkGraph& graph) {
    const auto weight = [](const auto& edge) { return edge.data; };
    EXPECT_EQ(read_all(armature::shortest_paths(graph, 0, weight)), dijkstra(serial, 0, false));
  });
}

TEST(GraphAlgorithms, components_are_named_by_their_smallest_vertex) {
  for_graphs([](const Serial& serial, const LinkGraph& graph) {
    std::vector<std::size_t> expected(serial.size(), unreached);
    const auto next_to = neighbours(serial);
    for (std::size_t i = 0; i < serial.size(); ++i) {
      if (expected[i] != unreached) continue;
      std::vector<std::size_t> stack{i};
      expected[i] = i;
      while (!stack.empty()) {
        const std::size_t at = stack.back();
        stack.pop_back();
        for (const std::size_t other : next_to[at])
          if (std::exchange(expected[other], i) == unreached) stack.push_back(other);
      }
    }
    EXPECT_EQ(read_all(armature::connected_components(graph)), expected);
  });
}

TEST(GraphAlgorithms, pagerank_agrees_with_a_serial_one) {
  for_graphs([](const Serial& serial, const LinkGraph& graph) {
    const auto n = static_cast<double>(serial.size());
    std::vector<double> expected(serial.size(), 1 / n);
    for (int round = 0; round < 30; ++round) {
      std::vector<double> next(serial.size(), 0);
      double at_ends = 0;
      for (std::size_t i = 0; i < serial.size(); ++i) {
        if (serial[i].empty()) at_ends += expected[i];
        for (const Link& link : serial[i])
          next[link.to] += expected[i] / static_cast<double>(serial[i].size());
      }
      for (double& x : next) x = 0.15 / n + 0.85 * (x + at_ends / n);
      expected = next;
    }
    const auto found = read_all(armature::pagerank(graph, {.tolerance = -1, .rounds_max = 30}));
    for (std::size_t i = 0; i < serial.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12);
    const auto settled = read_all(armature::pagerank(graph));
    EXPECT_NEAR(std::accumulate(settled.begin(), settled.end(), 0.0), 1, 1e-9);
  });
}

TEST(GraphAlgorithms, triangles_are_counted_once) {
  for_graphs([](const Serial& serial, const LinkGraph& graph) {
    const auto next_to = neighbours(serial);
    std::uint64_t expected = 0;
    for (std::size_t a = 0; a < serial.size(); ++a)
      for (const std::size_t b : next_to[a])
        if (b > a)
          for (const std::size_t c : next_to[b])
            if (c > b && next_to[a].contains(c)) ++expected;
    EXPECT_EQ(armature::triangle_count(graph), expected);
  });
}

TEST(GraphAlgorithms, removed_vertices_are_not_reached) {
  armature::distributed_graph<> line(world(), 10);
  if (me() == 0)
    for (std::size_t i = 0; i + 1 < 10; ++i) line.async_add_edge(i, i + 1);
  EXPECT_EQ(line.remove_vertices([](auto vertex) { return vertex.id() == 6; }), 1U);
  const auto levels = read_all(armature::breadth_first_levels(line, 2));
  EXPECT_EQ(levels, (std::vector<std::size_t>{unreached, unreached, 0, 1, 2, 3, unreached,
                                              unreached, unreached, unreached}));
  const auto components = read_all(armature::connected_components(line));
  EXPECT_EQ(components, (std::vector<std::size_t>{0, 0, 0, 0, 0, 0, unreached, 7, 7, 7}));
}

TEST(GraphAlgorithms, wrong_arguments_are_errors_that_name_them) {
  LinkGraph graph(world(), 8);
  armature::add_rmat_edges(graph, 3, 20, 1);
  EXPECT_EQ(graph.edge_count(), 20U);
  const auto says = [](auto call, const char* text) {
    try {
      call();
      ADD_FAILURE() << "no error: " << text;
    } catch (const armature::Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  says([&] { (void)armature::breadth_first_levels(graph, 8); }, "no vertex 8 in a graph of 8");
  says([&] { armature::add_rmat_edges(graph, 4, 20, 1); }, "a graph of 8 vertices has not 2^4");
  says([&] { (void)armature::shortest_paths(graph, 0, [](const auto&) { return -1.0; }); },
       "negative");
  // All members learn of it: those that would have added no edge to a vertex that was removed, too.
  EXPECT_EQ(graph.remove_vertices([](auto vertex) { return vertex.id() == 7; }), 1U);
  says([&] { armature::add_rmat_edges(graph, 3, 1, 1); },
       "1 of the graph's 8 vertices were removed");
}
