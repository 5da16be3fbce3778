#include "rmi/flow_cycle.hpp"

#include <initializer_list>

#include <gtest/gtest.h>

#include "harness/job.hpp"
#include "harness/two_nodes.hpp"
#include "rmi/records.hpp"

namespace armature::rmi {
namespace {

void show(const space::Mapping& job, std::initializer_list<int> cycle) {
  for (const int* rank = cycle.begin(); rank + 1 < cycle.end(); ++rank)
    job.slot(*rank).full.until = rank[1] + 1;
}

TEST(FlowCycle, is_found_where_all_of_it_is_on_the_node) {
  const harness::Job small(6);
  const space::Mapping& job = small.mapping();
  EXPECT_EQ(previous_in_cycle(job, 3, 3, true), 3) << "what it sends itself";
  EXPECT_EQ(previous_in_cycle(job, 0, 2, true), -1) << "nobody else is full";
  show(job, {2, 5, 4});
  EXPECT_EQ(previous_in_cycle(job, 0, 2, true), -1) << "the last takes in";
  show(job, {4, 0});
  EXPECT_EQ(previous_in_cycle(job, 0, 2, true), 4);
}

TEST(FlowCycle, of_others_is_none) {
  const harness::Job small(6);
  show(small.mapping(), {1, 2, 3, 1});
  EXPECT_EQ(previous_in_cycle(small.mapping(), 0, 1, true), -1);
}

TEST(FlowCycle, that_makes_no_sense_is_none) {
  const harness::Job small(3);
  small.mapping().slot(1).full.until = 100;
  EXPECT_EQ(previous_in_cycle(small.mapping(), 0, 1, true), -1);
}

class RemoteFlowCycle : public testing::Test {
 protected:
  [[nodiscard]] const space::Mapping& job() const { return net_.mapping(); }

  harness::TwoNodes net_{harness::TwoNodes::with(service)};
};

TEST_F(RemoteFlowCycle, is_asked_for_there_and_known_when_the_answer_has_come) {
  EXPECT_EQ(previous_in_cycle(job(), 0, 1, false), -1);
  EXPECT_TRUE(net_.peer.seen(Kind::cycle).empty());
  EXPECT_EQ(previous_in_cycle(job(), 0, 1, true), -1);
  const auto asked = net_.peer.seen(Kind::cycle);
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].record.from, 0);
  EXPECT_EQ(asked[0].record.to, 1);
  EXPECT_EQ(asked[0].head<CycleRecord>().before, 0);
  net_.peer.say(Kind::cycle, 0, CycleRecord{.before = 2, .steps = 2});
  EXPECT_TRUE(net_.until([&] { return job().slot(0).full.before != 0; }));
  EXPECT_EQ(previous_in_cycle(job(), 0, 1, false), 2);
  EXPECT_EQ(previous_in_cycle(job(), 0, 1, false), -1) << "once";
}

TEST_F(RemoteFlowCycle, who_is_asked_follows_it_on_or_says_nothing) {
  net_.peer.say(Kind::cycle, 2, CycleRecord{.before = 2, .steps = 0});
  EXPECT_TRUE(net_.until([&] { return net_.peer.is_heard_out(); }));
  EXPECT_TRUE(net_.peer.seen(Kind::cycle).empty());
  job().slot(0).full.until = 1 + 1;
  net_.peer.say(Kind::cycle, 2, CycleRecord{.before = 2, .steps = 0});
  EXPECT_TRUE(net_.until([&] { return !net_.peer.seen(Kind::cycle).empty(); }));
  const auto asked = net_.peer.seen(Kind::cycle);
  EXPECT_EQ(asked[0].record.from, 2);
  EXPECT_EQ(asked[0].record.to, 1);
  EXPECT_EQ(asked[0].head<CycleRecord>().before, 0);
  EXPECT_EQ(asked[0].head<CycleRecord>().steps, 1);
}

}  // namespace
}  // namespace armature::rmi
