#include "command/run/stall.hpp"

#include <gtest/gtest.h>

#include "harness/waiting_job.hpp"

namespace armature::command {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

TEST(StallTest, is_due_when_nothing_moves_and_again_after_twice_the_time) {
  harness::WaitingJob job(2);
  job.waits(0, space::Awaiting::notify, 1);
  StallWatch watch(10, 0);
  EXPECT_FALSE(watch.due(job.control(), 1 * second));
  EXPECT_FALSE(watch.due(job.control(), 10 * second));
  EXPECT_TRUE(watch.due(job.control(), 11 * second));
  EXPECT_FALSE(watch.due(job.control(), 12 * second));
  EXPECT_TRUE(watch.due(job.control(), 21 * second));
  EXPECT_TRUE(watch.due(job.control(), 41 * second));
}

TEST(StallTest, a_new_wait_is_a_movement) {
  harness::WaitingJob job(2);
  job.waits(0, space::Awaiting::notify, 1);
  StallWatch watch(10, 0);
  EXPECT_FALSE(watch.due(job.control(), 1 * second));
  job.waits(0, space::Awaiting::notify, 1);
  EXPECT_FALSE(watch.due(job.control(), 11 * second));
  EXPECT_TRUE(watch.due(job.control(), 21 * second));
}

TEST(StallTest, a_wait_in_which_a_method_runs_is_none) {
  harness::WaitingJob job(2);
  job.waits(0, space::interrupted(space::Awaiting::notify), 1);
  StallWatch watch(10, 0);
  EXPECT_FALSE(watch.due(job.control(), 1 * second));
  EXPECT_FALSE(watch.due(job.control(), 100 * second));
  job.waits(0, space::Awaiting::notify, 1);
  EXPECT_FALSE(watch.due(job.control(), 101 * second));
  EXPECT_TRUE(watch.due(job.control(), 111 * second));
}

TEST(StallTest, nobody_waiting_is_no_stall) {
  harness::WaitingJob job(2);
  StallWatch watch(10, 0);
  EXPECT_FALSE(watch.due(job.control(), 1 * second));
  EXPECT_FALSE(watch.due(job.control(), 100 * second));
}

}  // namespace
}  // namespace armature::command
