#include "command/explain/explain.hpp"

#include <cstdint>
#include <cstring>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command/explain/phrase.hpp"
#include "harness/waiting_job.hpp"
#include "wait/awaited_value.hpp"

namespace armature::command {
namespace {

using space::Awaiting;
using space::Life;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(RankListTest, names_one_two_and_many) {
  EXPECT_EQ(rank_list({3}), "rank 3");
  EXPECT_EQ(rank_list({0, 1}), "ranks 0 and 1");
  EXPECT_EQ(rank_list({0, 1, 2, 3, 6, 9}), "ranks 0-3, 6 and 9");
}

TEST(ExplainTest, nobody_waits) {
  harness::WaitingJob job(2);
  const auto explanation = explain(job.observe());
  EXPECT_FALSE(explanation.waiting);
  EXPECT_THAT(explanation.findings, IsEmpty());
}

TEST(ExplainTest, mutexes_locked_in_opposite_order_are_a_deadlock) {
  harness::WaitingJob job(3);
  job.waits(0, Awaiting::mutex, 1, harness::WaitingJob::address(1, 4096), 0);
  job.waits(1, Awaiting::mutex, 0, harness::WaitingJob::address(0, 4096), 0);
  const auto explanation = explain(job.observe());
  EXPECT_TRUE(explanation.hopeless);
  EXPECT_EQ(explanation.lines[0].object, "for mutex 0 at rank 1, held by rank 1");
  EXPECT_EQ(
      explanation.findings.at(0),
      "Ranks 0 and 1 wait for each other: a deadlock. Lock mutexes in the same order everywhere.");
  EXPECT_EQ(explanation.findings.size(), 1U);
}

TEST(ExplainTest, the_name_of_an_object_that_is_not_registered_is_told) {
  harness::WaitingJob job(2);
  std::uint64_t word = 0;
  std::memcpy(&word, "counter", 8);
  job.waits(0, Awaiting::name, 1, word, 0);
  EXPECT_EQ(explain(job.observe()).lines[0].object,
            "until rank 1 registers an object named \"counter\"");
}

TEST(ExplainTest, what_a_layer_waits_for_is_told_in_its_words) {
  harness::WaitingJob job(2);
  std::uint64_t words[2] = {};
  std::memcpy(words, "signal changes", 14);
  job.waits(0, Awaiting::condition, 1, words[0], words[1]);
  EXPECT_EQ(explain(job.observe()).lines[0].object, "until signal changes, by rank 1");
}

TEST(ExplainTest, the_value_that_a_rank_waits_for_is_told) {
  using wait::AwaitedValue;
  harness::WaitingJob job(3);
  const auto waits = [&](int rank, const AwaitedValue& how, std::uint64_t value) {
    job.waits(rank, Awaiting::value, -1, 0x1000, value);
    job.slot(rank).wait.team = how.packed();
  };
  waits(0, {.comparison = Comparison::ge}, UINT64_MAX);
  waits(1,
        {.comparison = Comparison::lt, .of = AwaitedValue::Of::any, .is_signed = true, .count = 7},
        UINT64_MAX);
  waits(2, {.of = AwaitedValue::Of::all, .each_has_its_own = true, .count = 2}, 0);
  const auto explanation = explain(job.observe());
  EXPECT_EQ(explanation.lines[0].object, "for a value at 0x1000 >= 18446744073709551615");
  EXPECT_EQ(explanation.lines[1].object, "for any of 7 values at 0x1000 < -1");
  EXPECT_EQ(explanation.lines[2].object, "for all of 2 values at 0x1000 == values of their own");
  // Nobody knows who may change them.
  EXPECT_FALSE(explanation.hopeless);
}

TEST(ExplainTest, a_static_that_another_rank_initialises_is_told) {
  harness::WaitingJob job(2);
  job.waits(0, Awaiting::initialiser, 1);
  job.waits(1, Awaiting::answer, 0);
  EXPECT_EQ(explain(job.observe()).lines[0].object,
            "until a function's static is initialised, by rank 1");
}

TEST(ExplainTest, who_depends_on_a_deadlock_is_named) {
  harness::WaitingJob job(4);
  job.waits(0, Awaiting::notify, 1);
  job.waits(1, Awaiting::notify, 0);
  job.waits(2, Awaiting::answer, 1);
  job.waits(3, Awaiting::room, 2);
  const auto explanation = explain(job.observe());
  EXPECT_THAT(explanation.findings,
              ElementsAre(HasSubstr("Ranks 0 and 1 wait for each other"),
                          "Ranks 2 and 3 wait, directly or through others, for those."));
}

TEST(ExplainTest, a_rank_that_has_returned_waits_for_the_end_not_in_calls_of_its_own) {
  harness::WaitingJob job(3);
  const auto block = job.make_team({0, 1, 2}, {4, 3, 4}, {{1, 0, 0}, {2, 0, 0}, {1, 0, 0}});
  job.slot(1).life = Life::leaving;
  job.waits(0, Awaiting::barrier, -1, block, 4);
  job.waits(1, Awaiting::fence, -1, block, 2);
  job.waits(2, Awaiting::barrier, -1, block, 4);
  const auto explanation = explain(job.observe());
  EXPECT_EQ(explanation.lines[1].object,
            "for the end of the job: ranks 0 and 2 have not reached it");
  EXPECT_THAT(explanation.findings,
              ElementsAre("Ranks 0-2 wait for each other: a deadlock. Rank 1 has returned already, "
                          "without a call in which the others wait for it."));
}

TEST(ExplainTest, who_connects_is_told_from_who_has_not_begun_and_connecting_is_no_deadlock) {
  harness::WaitingJob job(4);
  for (int rank = 0; rank < 4; ++rank) job.slot(rank).life = Life::starting;
  job.waits(0, Awaiting::team, 1);
  job.waits(1, Awaiting::team, 0);
  job.waits(2, Awaiting::team, -1);
  const auto explanation = explain(job.observe());
  EXPECT_EQ(explanation.lines[0].verb, "is connecting to rank 1, for");
  EXPECT_EQ(explanation.lines[2].verb, "is connecting to the job's other processes, for");
  EXPECT_EQ(explanation.lines[3].verb, "has not called armature::run yet");
  EXPECT_FALSE(explanation.hopeless);
  EXPECT_THAT(
      explanation.findings,
      ElementsAre("Rank 2 waits, directly or through others, for rank 3, which has not called "
                  "armature::run yet."));
}

TEST(ExplainTest, ranks_that_do_the_same_in_a_deadlock_share_a_clause) {
  harness::WaitingJob job(3);
  const auto block = job.make_team({0, 1, 2}, {4, 3, 3}, {{1, 0, 0}, {2, 0, 0}, {2, 0, 0}});
  job.waits(0, Awaiting::barrier, -1, block, 4);
  job.waits(1, Awaiting::fence, -1, block, 2);
  job.waits(2, Awaiting::fence, -1, block, 2);
  const auto explanation = explain(job.observe());
  EXPECT_THAT(explanation.findings,
              ElementsAre(HasSubstr("; ranks 1 and 2 wait in rmi_fence (wave 2)")));
}

TEST(ExplainTest, operations_at_each_other_are_no_deadlock) {
  harness::WaitingJob job(3);
  job.waits(0, Awaiting::completion, 1);
  job.waits(1, Awaiting::completion, 0);
  job.waits(2, Awaiting::notify, 0);
  const auto explanation = explain(job.observe());
  EXPECT_FALSE(explanation.hopeless);
  EXPECT_THAT(explanation.findings,
              ElementsAre("Rank 2 waits, directly or through others, for rank 0, which waits."));
}

TEST(ExplainTest, an_operation_at_a_rank_that_waits_for_its_originator_is_no_deadlock) {
  harness::WaitingJob job(2);
  job.waits(0, Awaiting::completion, 1);
  job.waits(1, Awaiting::notify, 0);
  EXPECT_FALSE(explain(job.observe()).hopeless);
}

TEST(ExplainTest, operations_at_a_stopped_rank_wait_for_its_process) {
  harness::WaitingJob job(3);
  job.waits(0, Awaiting::completion, 1);
  job.waits(1, Awaiting::completion, 0);
  job.waits(2, Awaiting::notify, 0);
  auto snapshot = job.observe();
  snapshot.ranks[1].process_state = 'T';
  const auto explanation = explain(snapshot);
  EXPECT_FALSE(explanation.hopeless);
  EXPECT_THAT(explanation.findings, ElementsAre("Ranks 0 and 2 wait, directly or through others, "
                                                "for rank 1, which is stopped by a signal."));
}

TEST(ExplainTest, an_operation_at_a_dead_rank_can_never_end) {
  harness::WaitingJob job(2);
  job.slot(1).life = Life::dead;
  job.waits(0, Awaiting::completion, 1);
  EXPECT_TRUE(explain(job.observe()).hopeless);
}

TEST(ExplainTest, a_barrier_that_one_rank_never_enters) {
  harness::WaitingJob job(4);
  const auto block = job.make_team({0, 1, 2, 3}, {7, 7, 6, 7});
  for (int rank : {0, 1, 3}) job.waits(rank, Awaiting::barrier, -1, block, 7);
  const auto explanation = explain(job.observe());
  EXPECT_EQ(explanation.lines[0].object,
            "in a barrier (round 7) of the world: rank 2 has not entered it");
  EXPECT_THAT(waits_on(job.observe(), 0), ElementsAre(2));
  EXPECT_FALSE(explanation.hopeless);
  EXPECT_THAT(explanation.findings, ElementsAre("Ranks 0, 1 and 3 wait, directly or through "
                                                "others, for rank 2, which runs without waiting."));
  EXPECT_THAT(text(explanation), HasSubstr("ranks 0, 1 and 3  wait 0.0 s"));
}

TEST(ExplainTest, those_for_whom_the_same_wait_share_a_sentence) {
  harness::WaitingJob job(5);
  const auto block = job.make_team({0, 1, 2, 3}, {7, 7, 6, 6});
  for (int rank : {0, 1}) job.waits(rank, Awaiting::barrier, -1, block, 7);
  job.slot(4).life = Life::dead;
  const auto snapshot = job.observe();
  EXPECT_EQ(snapshot.ranks[0].round, snapshot.ranks[1].round);  // read once
  EXPECT_THAT(explain(snapshot).findings,
              ElementsAre("Ranks 0 and 1 wait, directly or through others, for ranks 2 and 3, "
                          "which run without waiting."));
}

TEST(ExplainTest, of_very_many_ranks_a_few_lines_are_said) {
  constexpr int ranks = 100'000;
  const auto round = std::make_shared<Round>();
  for (int rank = 1; rank < ranks; rank += 2) round->missing.push_back(rank);
  round->missing_in_words = rank_list(round->missing);
  Snapshot snapshot;
  snapshot.ranks.resize(ranks);
  for (RankState& state : snapshot.ranks) state.life = Life::running;
  for (std::size_t rank = 0; rank < ranks; rank += 2) {
    snapshot.ranks[rank].wait.awaiting = Awaiting::barrier;
    snapshot.ranks[rank].round = round;
  }
  const auto explanation = explain(snapshot);
  EXPECT_THAT(explanation.findings, ElementsAre(HasSubstr("78 and 49960 others wait, directly")));
  EXPECT_LT(text(explanation).size(), 2000U);
  EXPECT_THAT(waits_on(snapshot, 0, 3), ElementsAre(1, 3, 5));
}

TEST(ExplainTest, who_waits_in_a_barrier_has_entered_it_though_news_of_that_has_not_come) {
  harness::WaitingJob job(3);
  const auto block = job.make_team({0, 1, 2}, {7, 6, 6});
  for (int rank : {0, 2}) job.waits(rank, Awaiting::barrier, -1, block, 7);
  const auto explanation = explain(job.observe());
  EXPECT_THAT(waits_on(job.observe(), 0), ElementsAre(1));
  EXPECT_FALSE(explanation.hopeless);
}

TEST(ExplainTest, a_notify_that_can_never_come) {
  harness::WaitingJob job(2);
  job.slot(0).life = Life::finished;
  job.waits(1, Awaiting::notify, 0);
  const auto explanation = explain(job.observe());
  EXPECT_TRUE(explanation.hopeless);
  EXPECT_THAT(explanation.findings,
              ElementsAre("Rank 1 waits for rank 0, which has finished: that can never end."));
}

TEST(ExplainTest, the_end_of_the_job_waits_for_those_still_in_it) {
  harness::WaitingJob job(3);
  job.slot(0).life = Life::leaving;
  job.waits(0, Awaiting::exit, -1);
  job.waits(1, Awaiting::notify, 0);
  const auto explanation = explain(job.observe());
  EXPECT_THAT(waits_on(job.observe(), 0), ElementsAre(1, 2));
  EXPECT_THAT(explanation.findings.at(0), HasSubstr("Ranks 0 and 1 wait for each other"));
}

TEST(ExplainTest, a_message_from_anyone_is_hopeless_only_when_nobody_can_send) {
  harness::WaitingJob job(3);
  job.waits(0, Awaiting::message, -1, 0, 5);
  job.waits(1, Awaiting::notify, 0);
  EXPECT_FALSE(explain(job.observe()).hopeless);  // rank 2 computes and may send

  job.slot(2).life = Life::dead;
  const auto explanation = explain(job.observe());
  EXPECT_TRUE(explanation.hopeless);
  EXPECT_THAT(explanation.findings, Contains(HasSubstr("nobody is left to send one")));
}

TEST(ExplainTest, a_wait_that_is_over_by_the_second_look_is_no_deadlock) {
  harness::WaitingJob job(2);
  job.waits(0, Awaiting::message, 1);
  job.waits(1, Awaiting::message, 0);
  const auto earlier = job.observe();
  job.waits(1, Awaiting::message, 0);
  auto now = job.observe();
  mark_moving(now, earlier);
  EXPECT_FALSE(explain(now).hopeless);
}

/// Virtual ranks of one process, of which rank 2 has its turn; where ready, they were woken.
void share_a_process(harness::WaitingJob& job, const std::vector<int>& ready) {
  space::ControlHeader& header = job.control().header();
  header.ranks_are_virtual = 1;
  (new (&job.control().process(0)) space::ProcessSlot)->running = 2;
  for (int rank = 0; rank < static_cast<int>(header.ranks); ++rank) {
    job.slot(rank).process = 0;
    job.slot(rank).asleep = rank == 2 ? space::ParkState::awake : space::ParkState::waits;
  }
  for (int rank : ready) job.slot(rank).asleep = space::ParkState::woken;
}

TEST(ExplainTest, who_would_answer_if_it_had_its_turn_is_in_no_deadlock) {
  harness::WaitingJob job(3);
  const auto block = job.make_team({0, 1, 2}, {0, 1, 0});
  job.waits(0, Awaiting::answer, 1);
  job.waits(1, Awaiting::barrier, -1, block, 1);
  share_a_process(job, {1});
  auto explanation = explain(job.observe());
  EXPECT_FALSE(explanation.hopeless);
  EXPECT_THAT(explanation.findings,
              ElementsAre("Ranks 0 and 1 wait, directly or through others, for rank 2, which "
                          "runs without waiting.",
                          "Rank 2 has its process's turn, and rank 1, which is ready, runs only "
                          "when it waits or yields: a loop that looks at memory until it changes "
                          "has to call yield() or rmi_poll()."));

  share_a_process(job, {});  // nothing has come for rank 1
  EXPECT_TRUE(explain(job.observe()).hopeless);
}

TEST(ExplainTest, who_waits_for_its_turn_is_in_no_deadlock_whatever_it_waits_for) {
  harness::WaitingJob job(4);
  job.waits(0, Awaiting::request, -1);
  job.waits(1, Awaiting::completion, 0);
  share_a_process(job, {0, 1, 3});
  EXPECT_THAT(explain(job.observe()).findings,
              ElementsAre("Ranks 0, 1 and 3 wait, directly or through others, for rank 2, which "
                          "runs without waiting.",
                          HasSubstr("and ranks 0, 1 and 3, which are ready, run only when it")));

  // Rank 2 is between two turns: it is ready, but one that has had its turn waits by now.
  job.waits(2, Awaiting::message, 0);
  job.waits(0, Awaiting::message, 2);
  EXPECT_FALSE(explain(job.observe()).hopeless);
}

TEST(ExplainTest, what_a_rank_has_not_taken_is_told) {
  harness::WaitingJob job(200);  // lines of several pages, of which nobody has touched one
  job.notify(0, 2, 1);
  job.notify(0, 150, 1);
  job.leave_mail(0, 1, 100);
  job.leave_mail(0, 2, 0);
  const auto explanation = explain(job.observe());
  EXPECT_THAT(
      text(explanation),
      HasSubstr("rank 0 has not taken yet: messages of rank 1; notifies of ranks 2 and 150"));
  EXPECT_TRUE(explanation.lines[1].pending.none());
}

TEST(ExplainTest, a_fence_tells_what_was_counted) {
  harness::WaitingJob job(3);
  const auto block = job.make_team({0, 1, 2}, {0, 0, 0}, {{5, 70, 60}, {5, 7, 9}, {4, 1, 1}});
  job.waits(0, Awaiting::fence, 2, block, 5);
  const auto explanation = explain(job.observe());
  EXPECT_THAT(
      explanation.lines[0].object,
      HasSubstr("(wave 5) of the world: rank 2 has not come so far; calls there: 77 sent, 69 "
                "executed"));
  EXPECT_THAT(waits_on(job.observe(), 0), ::testing::ElementsAre(2));
}

TEST(ExplainTest, a_damaged_team_block_is_not_believed) {
  harness::WaitingJob job(2);
  const auto block = job.make_team({0, 99}, {1, 1});
  job.waits(0, Awaiting::barrier, -1, block, 1);
  job.waits(1, Awaiting::barrier, -1,
            harness::WaitingJob::address(1, harness::WaitingJob::segment_bytes - 8), 1);
  const auto explanation = explain(job.observe());
  EXPECT_THAT(explanation.lines[0].object, Not(HasSubstr("99")));
  EXPECT_THAT(waits_on(job.observe(), 0), IsEmpty());
}

}  // namespace
}  // namespace armature::command
