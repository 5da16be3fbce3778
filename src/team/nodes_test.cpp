#include "team/nodes.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace armature::team {
namespace {

/// The result when all nodes enter, and each of them tells what it may as soon as it may.
struct Told {
  std::uint32_t messages = 0, hops = 0;
  bool all_know_all = false;
};

Told tell(std::uint32_t nodes, Telling how) {
  std::vector<std::set<std::uint32_t>> known(nodes);
  std::vector<std::vector<NodeEdge>> left(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    known[node] = {node};
    left[node] = edges_of(node, nodes, how);
  }
  Told told;
  for (bool any = true; any; told.hops += any ? 1 : 0) {
    any = false;
    const auto before = known;
    for (std::uint32_t node = 0; node < nodes; ++node)
      std::erase_if(left[node], [&](const NodeEdge& edge) {
        for (std::uint32_t i = 0; i < edge.tells.count; ++i)
          if (!before[node].contains((edge.tells.first + i) % nodes)) return false;
        for (std::uint32_t i = 0; i < edge.tells.count; ++i)
          EXPECT_TRUE(known[edge.node].insert((edge.tells.first + i) % nodes).second)
              << nodes << " nodes: told twice";
        ++told.messages;
        return any = true;
      });
  }
  told.all_know_all = true;
  for (std::uint32_t node = 0; node < nodes; ++node)
    told.all_know_all = told.all_know_all && known[node].size() == nodes && left[node].empty();
  return told;
}

TEST(NodesTest, in_a_tree_every_node_hears_of_every_other_once_in_few_messages) {
  for (std::uint32_t nodes = 1; nodes <= 70; ++nodes) {
    const Told told = tell(nodes, Telling::by_tree);
    EXPECT_TRUE(told.all_know_all) << nodes;
    EXPECT_EQ(told.messages, 2 * (nodes - 1)) << nodes;
    std::uint32_t depth = 0;
    while ((1U << depth) < nodes) ++depth;
    EXPECT_LE(told.hops, 2 * depth) << nodes;
  }
}

TEST(NodesTest, directly_it_takes_one_hop) {
  for (std::uint32_t nodes = 2; nodes <= 9; ++nodes) {
    const Told told = tell(nodes, Telling::directly);
    EXPECT_TRUE(told.all_know_all) << nodes;
    EXPECT_EQ(told.hops, 1U) << nodes;
    EXPECT_EQ(told.messages, nodes * (nodes - 1)) << nodes;
  }
}

TEST(NodesTest, a_node_of_eight_speaks_with_its_parent_and_its_children) {
  const std::vector<NodeEdge> expected = {
      {0, {4, 4}, {0, 4}}, {6, {0, 6}, {6, 2}}, {5, {6, 7}, {5, 1}}};
  EXPECT_EQ(edges_of(4, 8, Telling::by_tree), expected);
}

}  // namespace
}  // namespace armature::team
