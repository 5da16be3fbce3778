// The serial PageRank on graphs whose scores are known, the matrix, its cutting, and the picture.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "command_line.hpp"
#include "debian/graph_source.hpp"
#include "heat_map.hpp"
#include "report.hpp"
#include "row_blocks.hpp"
#include "serial_pagerank.hpp"

namespace pagerank {
namespace {

using debian::Archives;
using debian::Field;
using debian::Fields;
using debian::find_source;
using debian::read_graph;

constexpr double damping = 0.85;

debian::PackageGraph graph_of(std::uint32_t packages,
                              const std::vector<std::pair<int, int>>& links) {
  debian::PackageGraph graph;
  for (std::uint32_t i = 0; i < packages; ++i) graph.names.push_back("p" + std::to_string(i));
  for (const auto& [from, to] : links) {
    graph.links.push_back(
        {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), Field::depends});
  }
  return graph;
}

std::vector<double> scores_of(const debian::PackageGraph& graph) {
  return serial_pagerank(link_matrix(graph, Fields::all()), {.tolerance = 1e-14}).scores;
}

debian::PackageGraph small_graph() {
  return read_graph(find_source(DEBIAN_TEST_DATA "/small.Packages", Archives::main));
}

TEST(SerialPagerankTest, a_circle_shares_evenly) {
  for (const double score : scores_of(graph_of(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}))) {
    EXPECT_NEAR(score, 0.25, 1e-14);
  }
}

TEST(SerialPagerankTest, one_package_that_depends_on_another) {
  const auto scores = scores_of(graph_of(2, {{0, 1}}));
  EXPECT_NEAR(scores[0], 1 / (2 + damping), 1e-13);
  EXPECT_NEAR(scores[1], (1 + damping) / (2 + damping), 1e-13);
}

TEST(SerialPagerankTest, a_star_of_nine_around_one_that_depends_on_nothing) {
  std::vector<std::pair<int, int>> links;
  for (int leaf = 1; leaf < 10; ++leaf) links.emplace_back(leaf, 0);
  const auto scores = scores_of(graph_of(10, links));
  // A leaf gets only what jumps give: leaf = (1 - d)/10 + d hub/10, and hub = 1 - 9 leaf.
  const double leaf = 1 / (10 + 9 * damping);
  EXPECT_NEAR(scores[5], leaf, 1e-13);
  EXPECT_NEAR(scores[0], 1 - 9 * leaf, 1e-13);
}

TEST(SerialPagerankTest, no_links_at_all_and_a_single_package) {
  EXPECT_NEAR(scores_of(graph_of(5, {}))[3], 0.2, 1e-14);
  EXPECT_NEAR(scores_of(graph_of(1, {}))[0], 1, 1e-14);
}

TEST(SerialPagerankTest, the_number_of_iterations_is_bounded) {
  const auto matrix = link_matrix(small_graph(), Fields::all());
  EXPECT_EQ(serial_pagerank(matrix, {.tolerance = 0, .iterations_max = 7}).iterations, 7);
}

TEST(SerialPagerankTest, bookworm_depends_most_on_its_c_library) {
  const auto graph = read_graph(find_source(DEBIAN_COMPACT_COPY, Archives::main));
  const auto ranking = serial_pagerank(link_matrix(graph, Fields::required()));
  EXPECT_LT(ranking.change, 1e-10);
  EXPECT_NEAR(std::accumulate(ranking.scores.begin(), ranking.scores.end(), 0.0), 1, 1e-9);
  const auto top = std::max_element(ranking.scores.begin(), ranking.scores.end());
  EXPECT_EQ(graph.names[static_cast<std::size_t>(top - ranking.scores.begin())], "libc6");
}

TEST(SparseMatrixTest, each_column_hands_out_all_or_nothing) {
  const auto matrix = link_matrix(small_graph(), Fields::required());
  std::vector<double> sums(matrix.rows());
  for (std::size_t k = 0; k < matrix.nonzeros(); ++k) sums[matrix.columns[k]] += matrix.values[k];
  const auto empty = empty_columns(matrix);
  for (std::size_t j = 0; j < sums.size(); ++j) EXPECT_NEAR(sums[j], 1 - empty[j], 1e-15);
  EXPECT_EQ(matrix.nonzeros(), 14U);
}

TEST(RowBlocksTest, blocks_cover_all_rows_also_when_there_are_more_blocks) {
  const auto matrix = link_matrix(small_graph(), Fields::required());
  for (const int count : {1, 2, 4, 9, 20}) {
    const auto blocks = RowBlocks::balanced(matrix, count);
    EXPECT_EQ(blocks.blocks(), count);
    EXPECT_EQ(blocks.rows(), 9U);
    std::uint32_t row = 0;
    for (int block = 0; block < count; ++block) {
      EXPECT_EQ(blocks.first(block), row);
      for (; row < blocks.first(block + 1); ++row) EXPECT_EQ(blocks.owner(row), block);
    }
    EXPECT_EQ(row, 9U);
  }
}

TEST(RowBlocksTest, work_is_even_on_the_real_graph) {
  const auto graph = read_graph(find_source(DEBIAN_COMPACT_COPY, Archives::main));
  const auto matrix = link_matrix(graph, Fields::required());
  const auto blocks = RowBlocks::balanced(matrix, 4);
  const double even = static_cast<double>(matrix.rows() + matrix.nonzeros()) / 4;
  for (int block = 0; block < 4; ++block) {
    const auto work = blocks.rows(block) + matrix.row_begin[blocks.first(block + 1)] -
                      matrix.row_begin[blocks.first(block)];
    EXPECT_NEAR(work / even, 1, 0.1);
  }
}

TEST(HeatMapTest, every_pair_of_ranks_is_drawn_and_words_are_escaped) {
  HeatMap map;
  map.title = "a < b & c";
  map.ranks = 2;
  map.panels = {{"one", "", {0, 1536, 3 << 20, 0}}};
  const std::string svg = draw(map);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_NE(svg.find("rank 0 fetched 1.50 KiB from rank 1"), std::string::npos);
  EXPECT_NE(svg.find("rank 1 fetched 3.00 MiB from rank 0"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(HeatMapTest, a_single_rank_that_fetched_nothing_has_a_picture_too) {
  HeatMap map;
  map.ranks = 1;
  map.panels = {{"", "", {0}}};
  EXPECT_EQ(draw(map).find("nan"), std::string::npos);
}

TEST(ReportTest, a_score_that_is_no_number_is_as_wrong_as_can_be) {
  const Ranking right{.scores = {1, 2}};
  EXPECT_EQ(largest_difference(right, {.scores = {1.5, 2.25}}), 0.5);
  EXPECT_EQ(largest_difference(right, {.scores = {std::nan(""), 2.25}}), HUGE_VAL);
}

TEST(CommandLineTest, options_are_read_and_mistakes_named) {
  const auto right = parse_command_line({"--iterations", "12", "--archives=all", "--tolerance",
                                         "1e-6", "--fields", "depends,suggests"});
  EXPECT_EQ(right.message, "");
  EXPECT_EQ(right.options.ranking.iterations_max, 12);
  EXPECT_EQ(right.options.source.archives, Archives::all);
  EXPECT_EQ(right.options.ranking.tolerance, 1e-6);
  EXPECT_EQ(right.options.fields, Fields(Field::depends) | Field::suggests);
  EXPECT_FALSE(parse_command_line({"--help"}).is_error);
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--iterations", "0"},
                                             {"--iterations", "many"},
                                             {"--iterations"},
                                             {"--tolerance", "nan"},
                                             {"--fields", "provides"},
                                             {"--archives", "some"},
                                             {"--what"},
                                             {"file"}}) {
    EXPECT_TRUE(parse_command_line(wrong).is_error) << wrong[0];
  }
}

}  // namespace
}  // namespace pagerank
