#include "base/sparse_table.hpp"

#include <string>

#include <gtest/gtest.h>

namespace armature::base {
namespace {

TEST(SparseTable, makes_what_is_asked_for_and_keeps_it_in_place) {
  SparseTable<std::string> table;
  EXPECT_EQ(table.find(999'999), nullptr);
  std::string& last = table[999'999];
  last = "last";
  for (std::size_t i = 0; i < 1000; ++i) table[i] = std::to_string(i);
  EXPECT_EQ(&table[999'999], &last);
  EXPECT_EQ(last, "last");
  EXPECT_EQ(table.indices().size(), 1001u);
  EXPECT_EQ(table.indices().front(), 999'999);
  EXPECT_EQ(table[500], "500");
  EXPECT_EQ(table.find(1000), nullptr);
}

TEST(SparseTable, a_table_of_zeros_begins_so) {
  ZeroTable<int*> table(100'000);
  EXPECT_EQ(table.size(), 100'000u);
  EXPECT_EQ(table[99'999], nullptr);
}

}  // namespace
}  // namespace armature::base
