#include "space/allocations.hpp"

#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <thread>

#include <gtest/gtest.h>

namespace armature::space {
namespace {

/// A list as it lies in a segment: zero pages.
class AllocationsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t room = 16 << 20;
  AllocationsTest()
      : list_(
            *static_cast<Allocations*>(mmap(nullptr, room, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  ~AllocationsTest() override { munmap(&list_, room); }

  void add(std::uint64_t begin, std::uint64_t bytes) {
    Allocation a;
    a.begin = begin;
    a.bytes = bytes & ((std::uint64_t{1} << 62) - 1);
    ASSERT_TRUE(list_.add(a));
  }

  Allocations& list_;
};

TEST_F(AllocationsTest, an_empty_list_has_nothing_near) {
  EXPECT_FALSE(list_.nearest(1000).has_value());
}

TEST_F(AllocationsTest, nearest_prefers_the_one_that_holds_the_address) {
  add(1000, 100);
  add(2000, 100);
  EXPECT_EQ(list_.nearest(1099)->begin, 1000u);
  EXPECT_EQ(list_.nearest(2000)->begin, 2000u);
}

TEST_F(AllocationsTest, nearest_in_a_gap_is_the_closer_neighbour) {
  add(1000, 100);
  add(2000, 100);
  EXPECT_EQ(list_.nearest(1200)->begin, 1000u);
  EXPECT_EQ(list_.nearest(1900)->begin, 2000u);
  EXPECT_EQ(list_.nearest(1)->begin, 1000u);
  EXPECT_EQ(list_.nearest(9999)->begin, 2000u);
}

TEST_F(AllocationsTest, an_owner_that_loses_its_core_in_the_middle_of_a_change_is_waited_for) {
  add(1000, 100);
  // The list's first word is a sequence number, which is odd while the list changes.
  auto& sequence = *reinterpret_cast<std::atomic<std::uint64_t>*>(&list_);
  sequence.fetch_add(1);
  std::thread owner([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    sequence.fetch_add(1);
  });
  const auto found = list_.nearest(1050);
  owner.join();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->begin, 1000u);
}

TEST_F(AllocationsTest, removing_what_is_not_there_changes_nothing) {
  add(1000, 100);
  EXPECT_FALSE(list_.remove(1001).has_value());
  EXPECT_EQ(list_.count(), 1u);
}

// In the order in which they came: ages, were each removal to move all that lies behind.
TEST_F(AllocationsTest, a_full_list_takes_one_for_each_that_goes_and_is_emptied_from_the_front) {
  for (std::size_t i = 0; i < Allocations::count_max; ++i) add(100 + i * 100, 50);
  Allocation one_more;
  one_more.begin = 60;
  one_more.bytes = 30;
  EXPECT_FALSE(list_.add(one_more));
  ASSERT_TRUE(list_.remove(5000).has_value());
  EXPECT_EQ(list_.nearest(5010)->begin, 4900u);
  ASSERT_TRUE(list_.add(one_more));  // before the gap
  EXPECT_FALSE(list_.add(one_more));
  ASSERT_TRUE(list_.remove(60).has_value());
  const std::uint64_t last = Allocations::count_max * 100;
  ASSERT_TRUE(list_.remove(100).has_value());
  one_more.begin = last + 100;
  ASSERT_TRUE(list_.add(one_more));  // behind all gaps
  for (std::uint64_t begin = 200; begin <= last; begin += 100)
    ASSERT_EQ(list_.remove(begin).has_value(), begin != 5000);
  EXPECT_EQ(list_.count(), 1u);
  EXPECT_EQ(list_.nearest(300)->begin, one_more.begin);
}

TEST_F(AllocationsTest, what_is_added_again_takes_its_place_without_a_search) {
  constexpr auto local = Allocation::Kind::local, collective = Allocation::Kind::collective;
  for (const std::uint64_t begin : {1000, 2000, 3000}) add(begin, 100);
  ASSERT_TRUE(list_.remove(2000).has_value());
  EXPECT_TRUE(list_.find_again(2000, collective).is_none());
  EXPECT_FALSE(list_.add_again(1000, 50, local));  // it is there
  EXPECT_FALSE(list_.add_again(2500, 50, local));  // nothing was
  EXPECT_TRUE(list_.add_again(2000, 50, local));
  EXPECT_EQ(list_.nearest(2020)->bytes, 50u);
  EXPECT_TRUE(list_.find_again(2000, collective).is_none());
  const Allocations::Found found = list_.find_again(2000, local);
  ASSERT_FALSE(found.is_none());
  EXPECT_EQ(found.bytes, 50u);
  list_.remove(found);
  EXPECT_EQ(list_.count(), 2u);
  EXPECT_NE(list_.nearest(2020)->begin, 2000u);
}

TEST_F(AllocationsTest, agrees_with_a_map_over_random_additions_and_removals) {
  std::mt19937 random(7);
  std::map<std::uint64_t, std::uint64_t> model;
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t begin = random() % 500 * 100 + 100;
    if (const auto it = model.find(begin); it != model.end()) {
      const Allocations::Found found = list_.find_again(begin, Allocation::Kind::collective);
      if (!found.is_none() && i % 2 == 0) {
        EXPECT_EQ(found.bytes, it->second);
        list_.remove(found);
      } else {
        const auto removed = list_.remove(begin);
        ASSERT_TRUE(removed.has_value());
        EXPECT_EQ(removed->bytes, it->second);
      }
      model.erase(it);
    } else {
      if (i % 2 != 0 || !list_.add_again(begin, 50, Allocation::Kind::collective)) add(begin, 50);
      model.emplace(begin, 50);
    }
    const std::uint64_t probe = random() % 500 * 100 + 120;
    const bool inside = model.contains(probe - 20);
    const auto found = list_.nearest(probe);
    EXPECT_EQ(found.has_value() && found->begin == probe - 20, inside);
    ASSERT_EQ(list_.count(), model.size());
  }
}

}  // namespace
}  // namespace armature::space
