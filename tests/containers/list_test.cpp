#include "cases.hpp"

using namespace containers;

TEST(List, holds_what_members_push_here_and_there) {
  armature::distributed_list<std::string> list(world());
  list.push_back("mine");
  world().barrier();  // a neighbour may be ahead
  list.async_push_back(conformance::right(), "from " + std::to_string(me()));
  EXPECT_EQ(list.size(), 2U * static_cast<unsigned>(ranks()));
  ASSERT_EQ(list.local().size(), 2U);
  EXPECT_EQ(list.local()[1], "from " + std::to_string(conformance::left()));
  EXPECT_EQ(list.take(), "mine");
  list.clear();
  EXPECT_EQ(list.take(), std::nullopt);
}

TEST(List, balance_evens_the_pieces_and_keeps_the_order) {
  armature::distributed_list<int> list(world());
  std::vector<int> expected;
  for (int m = 0; m < ranks(); ++m)
    for (int i = 0; i < m * m * 3; ++i) {
      expected.push_back(m * 1000 + i);
      if (m == me()) list.push_back(expected.back());
    }
  list.balance();
  const auto even = armature::Blocks::even(expected.size(), ranks());
  const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(even.first(me()));
  EXPECT_TRUE(std::ranges::equal(list.local(), std::span(begin, even.count(me()))));
}

TEST(List, for_all_may_deal_out_new_elements) {
  armature::distributed_list<int> list(world());
  for (int i = 0; i < 100; ++i) list.push_back(i);
  list.for_all([&](int i) {
    for (int k = 0; k < 5; ++k) list.async_deal(i + k);
  });
  EXPECT_EQ(list.size(), 600U * static_cast<unsigned>(ranks()));
}
