#include "quiesce/phase_barrier.hpp"

#include <gtest/gtest.h>

#include "harness/job.hpp"
#include "wait/processes.hpp"

namespace armature::quiesce {
namespace {

TEST(PhaseBarrierTest, a_member_that_is_killed_has_not_passed_what_it_did_not_reach) {
  const harness::Job job(2);
  const space::Mapping& mapping = job.mapping();
  ASSERT_EQ(mapping.header().processes, 2U);
  const PhaseBarrier mine(mapping, 0, 1), its(mapping, 1, 1);
  ASSERT_EQ(mine.of_node().processes().size(), 2U);
  mine.reach(4);
  EXPECT_FALSE(mine.all_have_passed(4));
  its.reach(4);
  EXPECT_TRUE(mine.all_have_passed(4));
  // A process that sees it die says that it runs no more, before all are called to roll back.
  mapping.process_slot(1).step.store(wait::runs_no_more);
  EXPECT_FALSE(mine.all_have_passed(4));
  wait::lose_process({reinterpret_cast<std::byte*>(&mapping.header())}, 1);
  EXPECT_TRUE(mapping.header().quiesce.is_to_reconfigure());
  EXPECT_THROW(mine.require_to_go_on(), GivenUp);
  EXPECT_EQ(NodeMembers(mapping, 0, 1).processes().size(), 1U);
}

TEST(PhaseBarrierTest, a_word_of_another_epoch_does_not_count) {
  const harness::Job job(2);
  const space::Mapping& mapping = job.mapping();
  const PhaseBarrier mine(mapping, 0, 7);
  mine.reach(2);
  PhaseBarrier(mapping, 1, 6).reach(5);  // of the one before
  EXPECT_FALSE(mine.all_have_passed(2));
  PhaseBarrier::of_epoch(mapping, 1, 1).reach(2);
  EXPECT_FALSE(mine.all_have_passed(2));
  PhaseBarrier(mapping, 1, 8).reach(1);  // it has gone on to the next one
  EXPECT_TRUE(mine.all_have_passed(2));
}

TEST(PhaseBarrierTest, nobody_waits_for_a_member_that_has_left) {
  const harness::Job job(2);
  const space::Mapping& mapping = job.mapping();
  const PhaseBarrier mine(mapping, 0, 1);
  mine.reach(4);
  EXPECT_FALSE(mine.all_have_passed(4));
  mapping.process_slot(1).until = space::ProcessSlot::in_order;
  EXPECT_TRUE(mine.all_have_passed(4));
  EXPECT_EQ(NodeMembers(mapping, 0, 0).processes().size(), 1U);
  EXPECT_EQ(wait::hosting_processes(mapping.header()), 1U);
  EXPECT_FALSE(wait::is_lost(mapping.process_slot(1)));
  mine.require_to_go_on();
  // Others have lost it: then it is lost for all.
  wait::lose_process({reinterpret_cast<std::byte*>(&mapping.header())}, 1);
  EXPECT_TRUE(wait::is_lost(mapping.process_slot(1)));
  EXPECT_THROW(mine.require_to_go_on(), GivenUp);
}

TEST(PhaseBarrierTest, nobody_waits_for_a_process_that_is_to_come) {
  const harness::Job job(2);
  const space::Mapping& mapping = job.mapping();
  space::ProcessSlot& slot = mapping.process_slot(1);
  const PhaseBarrier mine(mapping, 0, 1);
  mine.reach(4);
  for (const std::uint32_t until : {space::ProcessSlot::to_come, space::ProcessSlot::admitted}) {
    slot.until = until;
    EXPECT_TRUE(slot.is_to_come() && !slot.has_left() && !wait::is_lost(slot));
    EXPECT_EQ(NodeMembers(mapping, 0, 0).processes().size(), 1U);
    EXPECT_EQ(wait::hosting_processes(mapping.header()), 1U);
  }
  slot.until = 0;
  EXPECT_FALSE(mine.all_have_passed(4));
  // Some node may have it when others roll back.
  slot.until = space::ProcessSlot::to_come;
  wait::lose_process({reinterpret_cast<std::byte*>(&mapping.header())}, 1);
  EXPECT_TRUE(wait::is_lost(slot));
}

TEST(PhaseBarrierTest, who_waits_gives_up_when_the_epoch_is_over) {
  const harness::Job job(2);
  const space::Mapping& mapping = job.mapping();
  const PhaseBarrier mine(mapping, 0, 1);
  mapping.header().quiesce.epoch.wanted = 1;
  EXPECT_THROW(mine.all_reach(1), GivenUp);
  EXPECT_THROW(mine.wait_until([] { return true; }), GivenUp);
}

}  // namespace
}  // namespace armature::quiesce
