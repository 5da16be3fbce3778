#include "rmi/termination.hpp"

#include <array>

#include <gtest/gtest.h>

namespace armature::rmi {
namespace {

using Step = Termination::Step;

struct Line {
  std::uint64_t wave = 0;
  Tally tally;
};

/// Two members that show their tallies to each other.
class TerminationTest : public ::testing::Test {
 protected:
  void show(int member, Tally tally) {
    const std::uint64_t wave = member_[member].wave();
    lines_[member][Termination::line_of(wave)] = {wave, tally};
  }
  void begin(int member, Tally tally) {
    member_[member].begin();
    show(member, tally);
  }
  Step advance(int member) {
    return member_[member].advance(2, [&](int of, std::uint64_t wave) -> std::optional<Tally> {
      const Line& line = lines_[of][Termination::line_of(wave)];
      if (line.wave < wave) return std::nullopt;
      EXPECT_EQ(line.wave, wave);
      return line.tally;
    });
  }

  std::array<Termination, 2> member_;
  std::array<std::array<Line, Termination::lines>, 2> lines_;
};

TEST_F(TerminationTest, waits_for_the_member_that_has_not_entered) {
  begin(0, {});
  EXPECT_EQ(advance(0), Step::wait);
  EXPECT_EQ(member_[0].awaited(), 1);
}

TEST_F(TerminationTest, two_waves_end_a_fence_with_nothing_to_wait_for) {
  begin(0, {.sent = 3, .executed = 4});
  begin(1, {.sent = 4, .executed = 3});
  EXPECT_EQ(advance(0), Step::show);
  show(0, {.sent = 3, .executed = 4});
  EXPECT_EQ(advance(0), Step::wait);
  EXPECT_EQ(advance(1), Step::show);
  show(1, {.sent = 4, .executed = 3});
  EXPECT_EQ(advance(1), Step::finished);
  EXPECT_EQ(advance(0), Step::finished);
  EXPECT_EQ(member_[0].wave(), member_[1].wave());
}

TEST_F(TerminationTest, a_request_under_way_costs_another_wave) {
  begin(0, {.sent = 1});
  begin(1, {});
  ASSERT_EQ(advance(0), Step::show);
  ASSERT_EQ(advance(1), Step::show);
  show(0, {.sent = 1});
  show(1, {.executed = 1});
  EXPECT_EQ(advance(0), Step::show) << "executed after the first wave";
  EXPECT_EQ(advance(1), Step::show);
  show(0, {.sent = 1});
  show(1, {.executed = 1});
  EXPECT_EQ(advance(0), Step::finished);
}

// Members that are told the sums of a wave take them for the line of a lone member.
TEST_F(TerminationTest, by_sums_it_ends_at_the_same_wave_as_by_lines) {
  Termination by_sums;
  by_sums.begin();
  begin(0, {.sent = 1});
  begin(1, {});
  for (const Tally second : {Tally{}, Tally{.executed = 1}, Tally{.executed = 1}}) {
    const std::uint64_t wave = by_sums.wave();
    EXPECT_EQ(wave, member_[0].wave());
    show(0, {.sent = 1});
    show(1, second);
    EXPECT_EQ(by_sums.advance(1, [](int, std::uint64_t) { return std::optional<Tally>(); }),
              Step::wait);
    const Step step = by_sums.advance(1, [&](int, std::uint64_t) {
      return std::optional<Tally>({.sent = 1, .executed = second.executed});
    });
    EXPECT_EQ(advance(0), step);
    EXPECT_EQ(advance(1), step);
  }
  EXPECT_FALSE(by_sums.under_way());
}

TEST_F(TerminationTest, a_fence_after_which_nothing_was_sent_serves_the_next_as_its_wave_before) {
  begin(0, {});
  begin(1, {});
  for (int member : {0, 1}) ASSERT_EQ(advance(member), Step::show);
  for (int member : {0, 1}) show(member, {});
  for (int member : {0, 1}) ASSERT_EQ(advance(member), Step::finished);
  begin(0, {});
  EXPECT_EQ(advance(0), Step::wait) << "1 has not entered";
  begin(1, {});
  EXPECT_EQ(member_[0].wave(), 3u);
  for (int member : {0, 1}) EXPECT_EQ(advance(member), Step::finished);
}

TEST_F(TerminationTest, what_was_sent_since_the_fence_before_costs_waves) {
  begin(0, {});
  begin(1, {});
  for (int member : {0, 1}) ASSERT_EQ(advance(member), Step::show);
  for (int member : {0, 1}) show(member, {});
  for (int member : {0, 1}) ASSERT_EQ(advance(member), Step::finished);
  begin(0, {.sent = 1});
  begin(1, {});
  for (int member : {0, 1}) EXPECT_EQ(advance(member), Step::show);
}

TEST_F(TerminationTest, more_executed_than_sent_is_noticed) {
  begin(0, {.executed = 1});
  begin(1, {});
  ASSERT_EQ(advance(0), Step::show);
  ASSERT_EQ(advance(1), Step::show);
  show(0, {.executed = 1});
  show(1, {});
  EXPECT_EQ(advance(0), Step::miscounted);
}

TEST_F(TerminationTest, a_member_alone_needs_no_others) {
  Termination alone;
  alone.begin();
  const auto read = [](int, std::uint64_t) { return std::optional<Tally>(Tally{2, 2}); };
  EXPECT_EQ(alone.advance(1, read), Step::show);
  EXPECT_EQ(alone.advance(1, read), Step::finished);
  EXPECT_FALSE(alone.under_way());
}

}  // namespace
}  // namespace armature::rmi
