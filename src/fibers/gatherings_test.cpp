#include "fibers/gatherings.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "harness/job.hpp"

namespace armature::fibers {
namespace {

class GatheringsTest : public testing::Test {
 protected:
  static constexpr int ranks = 6;

  GatheringsTest() {
    for (int rank = 0; rank < ranks; ++rank) fibers_.emplace_back(job_.mapping(), rank);
  }
  RankFiber& fiber(int rank) { return fibers_[static_cast<std::size_t>(rank)]; }
  void add(int rank, const std::atomic<std::uint64_t>& word, std::uint64_t value) {
    gatherings_.add(fiber(rank), word, value);
  }
  std::string take_out() {
    std::string taken;
    gatherings_.take_out([&](const RankFiber& one) { taken += std::to_string(one.rank); });
    return taken;
  }

  harness::Job job_{ranks};
  std::deque<RankFiber> fibers_;
  Gatherings gatherings_;
  std::atomic<std::uint64_t> word_{0}, other_{0};
};

TEST_F(GatheringsTest, all_go_in_their_order_once_the_word_has_come) {
  for (const int rank : {3, 0, 5}) add(rank, word_, 2);
  word_ = 1;
  EXPECT_EQ(take_out(), "");
  word_ = 2;
  EXPECT_EQ(take_out(), "305");
  EXPECT_EQ(take_out(), "");
  EXPECT_EQ(gatherings_.size(), 0u);
}

TEST_F(GatheringsTest, one_word_releases_nobody_who_waits_for_another) {
  add(1, word_, 1);
  add(2, other_, 1);
  other_ = 1;
  EXPECT_EQ(take_out(), "2");
  EXPECT_EQ(gatherings_.size(), 1u);
}

TEST_F(GatheringsTest, who_waits_again_is_there_once) {
  for (int times = 0; times < 3; ++times) add(1, word_, 1);
  word_ = 1;
  EXPECT_EQ(take_out(), "1");
}

TEST_F(GatheringsTest, a_wait_inside_another_takes_its_place) {
  add(1, word_, 1);
  add(1, other_, 1);
  word_ = 1;
  EXPECT_EQ(take_out(), "");
  other_ = 1;
  EXPECT_EQ(take_out(), "1");
}

TEST_F(GatheringsTest, with_the_last_rank_the_word_is_looked_at_no_more) {
  auto gone = std::make_unique<std::atomic<std::uint64_t>>(0);
  for (const int rank : {1, 2, 3}) add(rank, *gone, 1);
  for (const int rank : {1, 3, 2}) gatherings_.remove(fiber(rank));
  gone.reset();
  EXPECT_EQ(gatherings_.size(), 0u);
  EXPECT_EQ(take_out(), "");
}

TEST_F(GatheringsTest, one_that_leaves_changes_nothing_for_others) {
  for (int rank = 0; rank < ranks; ++rank) add(rank, word_, 1);
  gatherings_.remove(fiber(2));
  gatherings_.remove(fiber(2));
  word_ = 1;
  EXPECT_EQ(take_out(), "01534");
}

// Some have not seen yet that their round is over when others wait for the next.
TEST_F(GatheringsTest, the_earlier_of_two_values_counts_for_all) {
  add(1, word_, 2);
  add(2, word_, 1);
  word_ = 1;
  EXPECT_EQ(take_out(), "12");
}

}  // namespace
}  // namespace armature::fibers
