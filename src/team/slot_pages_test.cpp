#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/file_descriptor.hpp"
#include "harness/job.hpp"
#include "net/rank_map.hpp"
#include "team/nodes.hpp"

namespace armature::team {
namespace {

constexpr std::uint32_t ranks = 64;
constexpr std::size_t page = space::Control::slot_page;

/// Half of the ranks are on another node. No page of their slots is in this process's page tables
/// when the test begins.
class SlotPagesTest : public testing::Test {
 protected:
  SlotPagesTest() { EXPECT_EQ(madvise(slots(), ranks * page, MADV_DONTNEED), 0); }

  [[nodiscard]] std::byte* slots() const { return reinterpret_cast<std::byte*>(&job_.slot(0)); }
  /// The number of these pages that this process has touched since, and those around them, which
  /// the kernel maps too.
  [[nodiscard]] std::size_t touched() const {
    const base::FileDescriptor tables(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    std::vector<std::uint64_t> entries(ranks);
    const std::size_t bytes = ranks * sizeof entries[0];
    const auto first = reinterpret_cast<std::uintptr_t>(slots()) / page;
    EXPECT_EQ(
        pread(tables.get(), entries.data(), bytes, static_cast<off_t>(first * sizeof entries[0])),
        static_cast<ssize_t>(bytes));
    std::size_t present = 0;
    for (const std::uint64_t entry : entries) present += entry >> 63;
    return present;
  }

  harness::Job job_{ranks, {.node_of_rank = [] {
                      std::vector<std::int32_t> nodes(ranks, 0);
                      std::fill(nodes.begin() + ranks / 2, nodes.end(), 1);
                      return nodes;
                    }()}};
};

TEST_F(SlotPagesTest, who_looks_at_all_ranks_touches_no_slot) {
  const space::Mapping& mapping = job_.mapping();
  const net::RankMap map(mapping, {});
  const Nodes nodes(mapping.world_block(), mapping);
  EXPECT_EQ(touched(), 0u);
  EXPECT_EQ(map.door_of(ranks - 1), static_cast<int>(ranks) - 1);
  EXPECT_EQ(nodes.size(), 2u);
  EXPECT_FALSE(mapping.is_here(ranks - 1));
  EXPECT_EQ(touched(), 0u);
  EXPECT_EQ(mapping.slot(0).node, 0);
  EXPECT_GT(touched(), 0u) << "the count counts";
}

}  // namespace
}  // namespace armature::team
