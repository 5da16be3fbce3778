#include "fibers/ready_queue.hpp"

#include <deque>
#include <string>

#include <gtest/gtest.h>

#include "harness/job.hpp"

namespace armature::fibers {
namespace {

class ReadyQueueTest : public testing::Test {
 protected:
  static constexpr int ranks = 8;

  ReadyQueueTest() {
    for (int rank = 0; rank < ranks; ++rank) fibers_.emplace_back(job_.mapping(), rank);
  }
  RankFiber& cost(int rank, std::uint64_t ns) {
    fibers_[static_cast<std::size_t>(rank)].cost_ns = ns;
    return fibers_[static_cast<std::size_t>(rank)];
  }
  void push(int rank) { queue_.push(cost(rank, 0)); }
  void push(int rank, std::uint64_t ns) { queue_.push_costly(cost(rank, ns)); }
  std::string pop(int count = ranks) {
    std::string order;
    for (const RankFiber* fiber; count-- > 0 && (fiber = queue_.pop()) != nullptr;)
      order += std::to_string(fiber->rank);
    return order;
  }

  harness::Job job_{ranks};
  std::deque<RankFiber> fibers_;
  ReadyQueue queue_;
};

TEST_F(ReadyQueueTest, first_in_is_first_out) {
  for (const int rank : {3, 1, 2}) push(rank);
  EXPECT_EQ(pop(1), "3");
  push(3);
  EXPECT_EQ(pop(), "123");
  EXPECT_TRUE(queue_.empty());
}

TEST_F(ReadyQueueTest, the_costliest_goes_first_and_equals_in_their_order) {
  push(1, 20);
  push(2, 50);
  push(4, 20);
  push(5, 30);
  EXPECT_EQ(pop(), "2514");
  EXPECT_TRUE(queue_.empty());
}

TEST_F(ReadyQueueTest, what_is_urgent_goes_first_once_and_keeps_its_order) {
  for (const int rank : {0, 1, 2, 3, 4}) push(rank);
  push(5, 50);
  for (const int rank : {1, 4, 5})
    fibers_[static_cast<std::size_t>(rank)].slot->urgency =
        RankFiber::urgency_of(rank == 4 ? 3 : 1);
  EXPECT_EQ(queue_.expedite(), 6u);
  EXPECT_EQ(pop(), "415023");
  for (const int rank : {0, 4}) push(rank);
  queue_.expedite();
  EXPECT_EQ(pop(), "04");
}

TEST_F(ReadyQueueTest, nobody_is_put_behind_because_something_came_that_is_less_urgent) {
  fibers_[1].priority = 2;
  push(0);
  push(1);
  fibers_[1].slot->urgency = RankFiber::urgency_of(1);
  queue_.expedite();
  EXPECT_EQ(pop(), "10");
}

TEST_F(ReadyQueueTest, before_a_costly_one_all_others_that_were_ready_have_a_turn) {
  push(0);
  push(1);
  push(2, 50);
  push(3);
  EXPECT_EQ(pop(2), "01");
  push(4, 60);
  EXPECT_EQ(pop(1), "4");
  push(0);
  EXPECT_EQ(pop(), "320");
  EXPECT_TRUE(queue_.empty());
}

TEST_F(ReadyQueueTest, before_a_costly_one_has_its_next_turn_so_have_all) {
  push(0, 20);
  push(1, 50);
  EXPECT_EQ(pop(1), "1");
  push(1, 50);
  push(2, 30);
  EXPECT_EQ(pop(), "012");
}

TEST_F(ReadyQueueTest, the_costliest_that_may_be_taken_is) {
  push(0);
  push(1, 20);
  push(2, 50);
  EXPECT_TRUE(queue_.has_several());
  const RankFiber* const taken =
      queue_.take([](const RankFiber& fiber) { return fiber.rank != 2; });
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->rank, 1);
  EXPECT_EQ(queue_.take([](const RankFiber& fiber) { return fiber.rank > 2; }), nullptr);
  EXPECT_EQ(pop(1), "0");
  EXPECT_FALSE(queue_.has_several());
  EXPECT_EQ(queue_.take([](const RankFiber&) { return true; })->rank, 2);
  EXPECT_TRUE(queue_.empty());
  push(3);
  EXPECT_EQ(pop(), "3");
}

TEST_F(ReadyQueueTest, priority_goes_before_cost) {
  push(0, 50);
  cost(1, 0).priority = 1;
  push(1);
  cost(2, 90).priority = -1;
  push(2, 90);
  EXPECT_EQ(pop(), "102");
  EXPECT_TRUE(queue_.empty());
}

}  // namespace
}  // namespace armature::fibers
