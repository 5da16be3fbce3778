#include "command/run/node_request.hpp"

#include <gtest/gtest.h>

namespace armature::command {
namespace {

TEST(NodeRequest, nodes_that_join_one_after_the_other_are_asked_for_together) {
  NodeRequest all;
  bool is_pending = false;
  for (std::uint32_t node = 1; node <= NodeRequest::nodes_max; ++node, is_pending = true) {
    const auto more = NodeRequest::with_node(all, is_pending, 3);
    ASSERT_TRUE(more.has_value()) << node;
    all = NodeRequest::of(more->word());
    EXPECT_TRUE(all.is_more);
    EXPECT_EQ(all.nodes, node);
    EXPECT_EQ(all.processes, 3 * node);
  }
  // None is forgotten for one that does not fit any more.
  EXPECT_FALSE(NodeRequest::with_node(all, true, 3).has_value());
  EXPECT_EQ(NodeRequest::with_node(all, false, 3)->nodes, 1U);
}

TEST(NodeRequest, as_many_processes_as_can_be_are_asked_for) {
  const NodeRequest before{
      .is_more = true, .nodes = 7, .processes = NodeRequest::processes_max - 4};
  const auto last = NodeRequest::with_node(before, true, 4);
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(NodeRequest::of(last->word()).processes, NodeRequest::processes_max);
  EXPECT_FALSE(NodeRequest::with_node(before, true, 5).has_value());
}

TEST(NodeRequest, a_node_is_asked_for_in_place_of_what_is_done_or_is_no_node) {
  for (const auto& [before, is_pending] :
       {std::pair(NodeRequest{.nodes = 4, .processes = 8}, false),
        std::pair(NodeRequest{.processes = 8}, true)}) {
    const auto one = NodeRequest::with_node(before, is_pending, 2);
    EXPECT_TRUE(one->is_more);
    EXPECT_EQ(one->nodes, 1U);
    EXPECT_EQ(one->processes, 2U);
  }
  EXPECT_EQ(NodeRequest::of(5).word(), 5U);
  EXPECT_EQ(NodeRequest::of(5).nodes, 0U);
}

}  // namespace
}  // namespace armature::command
