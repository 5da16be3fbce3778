#include "command/run/near_partners.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace armature::command {
namespace {

/// A ring through all: each has that many bytes with the one `step` further.
ProcessLinks ring(std::size_t processes, std::size_t step, std::int64_t bytes) {
  ProcessLinks links(processes, std::vector<std::int64_t>(processes));
  for (std::size_t one = 0; one < processes; ++one) {
    const std::size_t other = (one + step) % processes;
    links[one][other] += bytes;
    links[other][one] += bytes;
  }
  return links;
}

NodesOfProcesses in_rows(std::size_t processes, std::size_t nodes) {
  NodesOfProcesses all;
  for (std::size_t process = 0; process < processes; ++process)
    all.push_back(static_cast<int>(process * nodes / processes));
  return all;
}

/// The least bytes of all ways to share them out.
std::int64_t least(const ProcessLinks& links, NodesOfProcesses nodes) {
  std::ranges::sort(nodes);
  std::int64_t found = bytes_between_nodes(links, nodes);
  while (std::ranges::next_permutation(nodes).found)
    found = std::min(found, bytes_between_nodes(links, nodes));
  return found;
}

TEST(NearPartnersTest, bytes_between_nodes_are_those_of_links_that_cross) {
  const ProcessLinks links = ring(8, 3, 10);
  EXPECT_EQ(bytes_between_nodes(links, in_rows(8, 2)), 60);
  EXPECT_EQ(bytes_between_nodes(links, in_rows(8, 4)), 80);
  EXPECT_EQ(bytes_between_nodes(links, in_rows(8, 1)), 0);
}

TEST(NearPartnersTest, a_ring_is_cut_once_for_each_node) {
  for (const std::size_t nodes : {2, 3, 4, 8}) {
    const ProcessLinks links = ring(8, 3, 10);
    const NodesOfProcesses placed = near_partners(links, in_rows(8, nodes));
    EXPECT_EQ(bytes_between_nodes(links, placed), static_cast<std::int64_t>(nodes) * 10);
  }
  const ProcessLinks long_ring = ring(64, 27, 10);
  EXPECT_EQ(bytes_between_nodes(long_ring, near_partners(long_ring, in_rows(64, 8))), 80);
}

TEST(NearPartnersTest, as_many_are_on_each_node_as_before_and_bytes_are_no_more) {
  std::uint32_t state = 1;
  for (int tried = 0; tried < 200; ++tried) {
    ProcessLinks links(7, std::vector<std::int64_t>(7));
    for (std::size_t one = 0; one < 7; ++one)
      for (std::size_t other = 0; other < one; ++other) {
        state = state * 1664525 + 1013904223;
        links[one][other] = links[other][one] = state >> 24;
      }
    const NodesOfProcesses begin = in_rows(7, 3);
    NodesOfProcesses placed = near_partners(links, begin);
    const std::int64_t bytes = bytes_between_nodes(links, placed);
    EXPECT_LE(bytes, bytes_between_nodes(links, begin));
    EXPECT_GE(bytes, least(links, begin));
    EXPECT_LE(static_cast<double>(bytes), 1.2 * static_cast<double>(least(links, begin)));
    std::ranges::sort(placed);
    EXPECT_EQ(placed, begin);
  }
}

TEST(NearPartnersTest, nothing_moves_where_nothing_is_gained) {
  const NodesOfProcesses rows = in_rows(8, 2);
  EXPECT_EQ(near_partners(ring(8, 1, 10), rows), rows);
  EXPECT_EQ(near_partners(ProcessLinks(8, std::vector<std::int64_t>(8)), rows), rows);
  EXPECT_TRUE(near_partners({}, {}).empty());
}

}  // namespace
}  // namespace armature::command
