// Algorithms on R-MAT graphs that the program makes, against those of Boost.Graph.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/clustering_coefficient.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/page_rank.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/property_map/function_property_map.hpp>

#include "cases.hpp"

namespace boost_cases {

using armature::Placement;
using armature::unreached;
using containers::me;
using containers::world;

using Numbers = std::vector<std::size_t>;
using Graph = armature::distributed_graph<>;
using Directed = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using Undirected = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

struct Link {
  std::size_t from, to;
};

template <class T>
std::vector<T> read_all(const armature::distributed_vector<T>& v) {
  auto all = v.read(0, v.size());
  v.fence();
  return all;
}

/// The edges, those of each vertex in the order in which it has them.
std::vector<Link> links_of(const Graph& graph) {
  std::vector<Link> mine;
  for (const auto vertex : graph.local())
    for (const auto& edge : vertex.edges()) mine.push_back({vertex.id(), edge.target});
  return read_all(armature::distributed_vector<Link>::from_local(world(), mine));
}
template <class Serial>
Serial serial(const std::vector<Link>& links, std::size_t vertices) {
  Serial graph(vertices);
  for (const Link& link : links) boost::add_edge(link.from, link.to, graph);
  return graph;
}

/// check(graph, its edges) on graphs with few and with many edges for each vertex.
template <class F>
void for_rmat_graphs(F check) {
  for (const Placement placement : {Placement::block, Placement::cyclic})
    for (const auto& [scale, count] :
         {std::pair(0, 3UL), {4, 0UL}, {6, 60UL}, {8, 300UL}, {8, 3000UL}}) {
      const testing::ScopedTrace trace(__FILE__, __LINE__,
                                       std::to_string(scale) + ", " + std::to_string(count));
      Graph graph(world(), std::size_t{1} << scale, placement);
      armature::add_rmat_edges(graph, scale, count, 11);
      check(graph, links_of(graph));
      if (testing::Test::HasFailure()) return;
    }
}

/// Each vertex's component, named by its smallest vertex.
Numbers by_smallest(const std::vector<int>& labels) {
  std::map<int, std::size_t> smallest;
  for (std::size_t i = 0; i < labels.size(); ++i) smallest.emplace(labels[i], i);
  Numbers named;
  for (const int label : labels) named.push_back(smallest.at(label));
  return named;
}

/// How many vertices a search had found before each.
class Order : public boost::default_dfs_visitor {
 public:
  Order(Numbers& order, std::size_t& found) : order_(order), found_(found) {}
  template <class G>
  void discover_vertex(std::size_t vertex, const G&) {
    order_[vertex] = found_++;
  }

 private:
  Numbers& order_;
  std::size_t& found_;
};

Numbers depth_first(const Directed& graph, std::size_t source) {
  Numbers order(boost::num_vertices(graph), unreached);
  std::vector<boost::default_color_type> colors(order.size());
  std::size_t found = 0;
  boost::depth_first_visit(graph, source, Order(order, found), colors.data());
  return order;
}

TEST(BoostGraph, searches_depth_first_in_the_same_order) {
  for_rmat_graphs([](const Graph& graph, const std::vector<Link>& links) {
    const auto directed = serial<Directed>(links, graph.size());
    Numbers sources;
    for (std::size_t k = 0; k < 4; ++k) sources.push_back(k * 37 % graph.size());
    auto orders = armature::depth_first_orders(graph, sources);
    for (std::size_t k = 0; k < sources.size(); ++k)
      EXPECT_EQ(read_all(orders[k]), depth_first(directed, sources[k]));
    EXPECT_EQ(read_all(armature::depth_first_order(graph, graph.size() - 1)),
              depth_first(directed, graph.size() - 1));
  });
}

TEST(BoostGraph, finds_the_same_strong_components) {
  for_rmat_graphs([](const Graph& graph, const std::vector<Link>& links) {
    const auto directed = serial<Directed>(links, graph.size());
    std::vector<int> labels(graph.size());
    boost::strong_components(directed, labels.data());
    EXPECT_EQ(read_all(armature::strong_components(graph)), by_smallest(labels));
  });
}

TEST(BoostGraph, finds_the_same_components_levels_and_lengths) {
  for_rmat_graphs([](const Graph& graph, const std::vector<Link>& links) {
    const auto directed = serial<Directed>(links, graph.size());
    std::vector<int> labels(graph.size());
    boost::connected_components(serial<Undirected>(links, graph.size()), labels.data());
    EXPECT_EQ(read_all(armature::connected_components(graph)), by_smallest(labels));

    Numbers levels(graph.size(), unreached);
    levels[0] = 0;
    boost::breadth_first_search(directed, 0,
                                boost::visitor(boost::make_bfs_visitor(boost::record_distances(
                                    levels.data(), boost::on_tree_edge()))));
    EXPECT_EQ(read_all(armature::breadth_first_levels(graph, 0)), levels);

    // Weights that two vertices determine: small whole numbers, whose sums are exact.
    const auto weight = [](std::size_t from, std::size_t to) {
      return static_cast<double>((from * 7 + to * 3) % 10);
    };
    armature::distributed_graph<armature::no_data, double> weighed(world(), graph.size());
    for (const auto vertex : graph.local())
      for (const auto& edge : vertex.edges())
        weighed.async_add_edge(vertex.id(), edge.target, weight(vertex.id(), edge.target));
    weighed.fence();
    std::vector<double> lengths(graph.size());
    const auto edge_weight = boost::make_function_property_map<Directed::edge_descriptor>(
        [&](const Directed::edge_descriptor& edge) {
          return weight(boost::source(edge, directed), boost::target(edge, directed));
        });
    boost::dijkstra_shortest_paths(directed, 0,
                                   boost::weight_map(edge_weight).distance_map(lengths.data()));
    const auto found =
        read_all(armature::shortest_paths(weighed, 0, [](const auto& edge) { return edge.data; }));
    for (std::size_t i = 0; i < lengths.size(); ++i)
      EXPECT_EQ(found[i],
                levels[i] == unreached ? std::numeric_limits<double>::infinity() : lengths[i]);
  });
}

// Boost's walk stops at a vertex without edges, ours goes anywhere from there: it gets edges to
// all. Boost's ranks sum up to the number of vertices.
TEST(BoostGraph, finds_the_same_page_ranks) {
  for_rmat_graphs([](const Graph& graph, const std::vector<Link>& links) {
    auto directed = serial<Directed>(links, graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i)
      if (boost::out_degree(i, directed) == 0)
        for (std::size_t j = 0; j < graph.size(); ++j) boost::add_edge(i, j, directed);
    std::vector<double> ranks(graph.size());
    const auto at = boost::get(boost::vertex_index, directed);
    boost::graph::page_rank(directed, boost::make_iterator_property_map(ranks.begin(), at),
                            boost::graph::n_iterations(150), 0.85);
    const auto found = read_all(armature::pagerank(graph, {.tolerance = -1, .rounds_max = 150}));
    for (std::size_t i = 0; i < ranks.size(); ++i)
      EXPECT_NEAR(found[i] * static_cast<double>(graph.size()), ranks[i], 1e-7) << i;
  });
}

TEST(BoostGraph, counts_the_same_triangles) {
  using Simple = boost::adjacency_list<boost::setS, boost::vecS, boost::undirectedS>;
  for_rmat_graphs([](const Graph& graph, const std::vector<Link>& links) {
    Simple simple(graph.size());
    for (const Link& link : links)
      if (link.from != link.to) boost::add_edge(link.from, link.to, simple);
    std::uint64_t corners = 0;
    for (std::size_t i = 0; i < graph.size(); ++i)
      corners += boost::num_triangles_on_vertex(simple, i);
    EXPECT_EQ(armature::triangle_count(graph) * 3, corners);
  });
}

// Long chains and circles, in which components are found one after the other at worst.
TEST(BoostGraph, finds_strong_components_of_chains_of_circles) {
  constexpr std::size_t circles = 30, each = 4;
  Graph graph(world(), circles * each + 50, Placement::cyclic);
  std::vector<int> labels;
  if (me() == 0) {
    for (std::size_t c = 0; c < circles; ++c)
      for (std::size_t k = 0; k < each; ++k) {
        graph.async_add_edge(c * each + k, c * each + (k + 1) % each);
        if (c > 0) graph.async_add_edge(c * each + k, c * each - 1);
      }
    for (std::size_t i = circles * each; i + 1 < graph.size(); ++i) graph.async_add_edge(i, i + 1);
  }
  graph.fence();
  const auto links = links_of(graph);
  labels.resize(graph.size());
  boost::strong_components(serial<Directed>(links, graph.size()), labels.data());
  EXPECT_EQ(read_all(armature::strong_components(graph)), by_smallest(labels));
  EXPECT_EQ(graph.remove_vertices([](auto vertex) { return vertex.id() == 1; }), 1U);
  const auto left = read_all(armature::strong_components(graph));
  EXPECT_EQ(left[1], unreached);
  EXPECT_EQ(left[2], 2U);
  EXPECT_EQ(left[each + 1], each);
}

}  // namespace boost_cases
