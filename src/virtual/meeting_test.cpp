#include "virtual/meeting.hpp"

#include <gtest/gtest.h>

#include "space/small_job.hpp"
#include "wait/processes.hpp"

namespace armature::fibers {
namespace {

TEST(MeetingTest, a_member_that_is_killed_has_not_passed_what_it_did_not_reach) {
  const space::SmallJob job(2);
  const space::Mapping& mapping = job.mapping();
  ASSERT_EQ(mapping.header().processes, 2U);
  const Meeting mine(mapping, 0, 0, 1), its(mapping, 1, 0, 1);
  ASSERT_EQ(mine.members().size(), 2U);
  mine.reach(4);
  EXPECT_FALSE(mine.all_have_passed(4));
  its.reach(4);
  EXPECT_TRUE(mine.all_have_passed(4));
  // Whoever sees it die says that it runs no more before all are called to go back.
  mapping.process_slot(1).step.store(wait::runs_no_more);
  EXPECT_FALSE(mine.all_have_passed(4));
  wait::lose_process({reinterpret_cast<std::byte*>(&mapping.header())}, 1);
  EXPECT_TRUE(mapping.header().halt.is_to_regroup());
  EXPECT_TRUE(Meeting(mapping, 0, 1, 1).members().size() == 1);
}

}  // namespace
}  // namespace armature::fibers
