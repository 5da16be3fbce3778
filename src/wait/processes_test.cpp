#include "wait/processes.hpp"

#include <array>

#include <gtest/gtest.h>

#include "harness/job.hpp"

namespace armature::wait {
namespace {

space::Control block(const harness::Job& job) {
  return {reinterpret_cast<std::byte*>(&job.mapping().header())};
}

TEST(ProcessesTest, one_that_is_to_leave_stays_where_the_others_die) {
  const harness::Job job(3);
  const space::Control control = block(job);
  const space::QuiesceState& quiesce = control.header().quiesce;
  ASSERT_EQ(control.header().processes, 3U);
  reconfigure(control, space::Reconfiguration::spread, std::array{0}, {});
  control.process(0).step = runs_no_more;  // it waits for the others to take its ranks
  EXPECT_TRUE(is_to_leave(quiesce, control.process(0)));
  EXPECT_FALSE(is_to_leave(quiesce, control.process(1)));
  // Another one can still take them.
  roll_back_without(control, 1, std::array{0, 2});
  EXPECT_FALSE(control.process(0).belongs(2));
  EXPECT_TRUE(control.process(2).belongs(2));
  roll_back_without(control, 2, std::array{0});
  EXPECT_EQ(quiesce.epoch.wanted, 3U);
  EXPECT_TRUE(control.process(0).belongs(3));
  EXPECT_NE(control.process(0).step, runs_no_more);
  EXPECT_FALSE(control.process(1).belongs(3) || control.process(2).belongs(3));
}

TEST(ProcessesTest, one_that_has_left_does_not_stay) {
  const harness::Job job(2);
  const space::Control control = block(job);
  reconfigure(control, space::Reconfiguration::spread, std::array{0}, {});
  control.header().quiesce.epoch.entered = 1;  // the other one has its ranks
  EXPECT_FALSE(is_to_leave(control.header().quiesce, control.process(0)));
  roll_back_without(control, 1, std::array{0});
  EXPECT_FALSE(control.process(0).belongs(2));
}

}  // namespace
}  // namespace armature::wait
