#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "armature/piece.hpp"

namespace armature::detail {
namespace {

using Share = AllocationTable::Share;

Share share(int rank, std::uintptr_t address, std::size_t bytes) {
  return {Rank(rank), reinterpret_cast<void*>(address), bytes};
}

void expect(const AllocationTable& table, const std::vector<Share>& shares) {
  ASSERT_EQ(table.members(), static_cast<int>(shares.size()));
  for (int i = 0; i < table.members(); ++i) {
    const Share& wanted = shares[static_cast<std::size_t>(i)];
    EXPECT_EQ(table.share(i).rank, wanted.rank) << i;
    EXPECT_EQ(table.share(i).address, wanted.address) << i;
    EXPECT_EQ(table.share(i).bytes, wanted.bytes) << i;
  }
}

TEST(AllocationTable, knows_what_each_member_was_given) {
  const std::vector<std::vector<Share>> all = {
      {share(7, 0x1000, 8)},
      {share(0, 0x1000, 8), share(1, 0x2000, 8), share(2, 0x3000, 8)},
      {share(6, 0x7000, 8), share(4, 0x5000, 8), share(2, 0x3000, 8)},
      {share(0, 0x1800, 8), share(1, 0x2000, 8), share(2, 0x3000, 8), share(3, 0x4000, 8)},
      {share(0, 0x1000, 8), share(1, 0x2000, 0), share(2, 0x3000, 8), share(3, 0x4000, 8)},
      {share(0, 0x1000, 8), share(2, 0x2000, 8), share(3, 0x3000, 8), share(9, 0x2000, 8)},
  };
  for (const std::vector<Share>& shares : all) {
    AllocationTable table;
    for (const Share& one : shares) table.add({one});
    expect(table, shares);
  }
}

TEST(AllocationTable, rows_are_one_where_the_next_follows_at_the_same_distance) {
  AllocationTable::Row row{share(0, 0x1000, 8)}, next{share(2, 0x3000, 8)};
  ASSERT_TRUE(row.append({share(1, 0x2000, 8)}));
  ASSERT_TRUE(next.append({share(3, 0x4000, 8)}));
  ASSERT_TRUE(row.append(next));
  AllocationTable table;
  table.add(row);
  expect(table,
         {share(0, 0x1000, 8), share(1, 0x2000, 8), share(2, 0x3000, 8), share(3, 0x4000, 8)});
}

TEST(AllocationTable, rows_with_other_steps_are_not_one) {
  AllocationTable::Row row{share(0, 0x1000, 8)}, wide{share(1, 0x2000, 8)};
  ASSERT_TRUE(wide.append({share(2, 0x4000, 8)}));
  EXPECT_FALSE(row.append(wide));
  ASSERT_TRUE(row.append({share(1, 0x2000, 8)}));
  EXPECT_FALSE(row.append({share(2, 0x3000, 16)}));
  EXPECT_FALSE(row.append({share(3, 0x3000, 8)}));
  EXPECT_EQ(row.members, 2);
}

}  // namespace
}  // namespace armature::detail
