// Members choose alike, find the best way, and find it again when the pattern changes. Their clocks
// differ; what a way takes is told by the test.
#include "team/learner.hpp"

#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

using armature::team::Learner;

namespace {

using Costs = std::array<std::uint64_t, Learner::ways_max>;

/// A team whose members measure what `cost` says, each with a disturbance of its own.
class Team {
 public:
  Team(std::size_t members, std::size_t ways, unsigned seed)
      : members_(members, Learner(ways)), random_(seed) {}

  /// One call. Returns its way.
  std::size_t call(const Costs& costs, unsigned disturbance_percent) {
    if (members_[0].is_due()) meet();
    const std::size_t way = members_[0].way();
    for (Learner& member : members_) {
      EXPECT_EQ(member.way(), way) << "members choose differently";
      const std::uint64_t cost = costs[way];
      member.note(cost + cost * (random_() % (disturbance_percent + 1)) / 100);
    }
    return way;
  }
  [[nodiscard]] const Learner& first() const { return members_[0]; }

 private:
  void meet() {
    std::vector<std::vector<std::uint32_t>> shown;
    for (const Learner& member : members_) {
      EXPECT_TRUE(member.is_due());
      shown.emplace_back(member.notes().begin(), member.notes().end());
    }
    for (Learner& member : members_)
      member.agree(members_.size(), [&](std::size_t of) { return std::span(shown[of]); });
  }

  std::vector<Learner> members_;
  std::mt19937 random_;
};

constexpr Costs first_pattern{1000, 600, 2000, 900}, second_pattern{1000, 3000, 700, 2500};

}  // namespace

TEST(LearnerTest, members_keep_the_best_way) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    Team team(1 + seed % 9, 4, seed);
    for (std::size_t i = 0; i < 4 * Learner::trials; ++i)
      EXPECT_EQ(team.call(first_pattern, 20), i % 4) << "each has its turn";
    for (int i = 0; i < 200; ++i) EXPECT_EQ(team.call(first_pattern, 20), 1U);
    EXPECT_EQ(team.first().changes(), 0U);
    EXPECT_NEAR(team.first().ns(), 660, 60);
  }
}

// The change comes at every place between two looks.
TEST(LearnerTest, another_pattern_is_learned_within_50_calls) {
  for (unsigned before = 0; before < 2 * Learner::calls_kept; ++before) {
    Team team(4, 4, before);
    for (std::size_t i = 0; i < 4 * Learner::trials + before; ++i) team.call(first_pattern, 10);
    for (int i = 0; i < 49; ++i) team.call(second_pattern, 10);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(team.call(second_pattern, 10), 2U) << before;
    EXPECT_EQ(team.first().changes(), 1U);
  }
}

TEST(LearnerTest, a_run_takes_little_longer_than_the_best_choice_of_each_phase) {
  Team team(4, 4, 7);
  std::uint64_t taken = 0, best = 0;
  for (int phase = 0; phase < 4; ++phase)
    for (int i = 0; i < 2000; ++i) {
      const Costs& costs = phase % 2 == 0 ? first_pattern : second_pattern;
      taken += costs[team.call(costs, 10)];
      best += *std::min_element(costs.begin(), costs.end());
    }
  EXPECT_LE(static_cast<double>(taken), 1.05 * static_cast<double>(best));
}

TEST(LearnerTest, a_lone_disturbance_changes_nothing) {
  Team team(3, 3, 3);
  for (int i = 0; i < 500; ++i) {
    Costs costs = first_pattern;
    if (i % 40 == 39)
      for (auto& cost : costs) cost *= 50;
    const std::size_t way = team.call(costs, 5);
    if (i >= static_cast<int>(3 * Learner::trials)) {
      EXPECT_EQ(way, 1U) << i;
    }
  }
}

TEST(LearnerTest, one_way_is_never_tried_twice) {
  Team team(2, 1, 1);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(team.call(i < 50 ? first_pattern : second_pattern, 0), 0U);
  EXPECT_FALSE(team.first().tries());
}

TEST(LearnerTest, a_skew_is_told) {
  Learner one(2), other(2);
  for (std::size_t i = 0; i < 2 * Learner::trials; ++i) {
    one.note(100);
    other.note(700);
  }
  const std::vector<std::uint32_t> notes(one.notes().begin(), one.notes().end());
  const std::vector<std::uint32_t> others(other.notes().begin(), other.notes().end());
  one.agree(2, [&](std::size_t of) { return std::span(of == 0 ? notes : others); });
  EXPECT_EQ(one.ns(), 400U);
  EXPECT_EQ(one.skew_ns(), 600U);
}
