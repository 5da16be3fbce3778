#include "command/run/taken_cores.hpp"

#include <unistd.h>

#include <gtest/gtest.h>

namespace armature::command {
namespace {

using Cores = std::vector<Core>;

const Cores four = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};

std::string own_name() { return "armature-test-" + std::to_string(getpid()) + "-"; }

TEST(TakenCoresTest, jobs_at_the_same_time_have_different_ones) {
  TakenCores first(own_name()), second(own_name());
  EXPECT_EQ(first.take(four, 2), four);
  EXPECT_EQ(second.take(four, 2), (Cores{{2, 6}, {3, 7}, {0, 4}, {1, 5}}));
}

TEST(TakenCoresTest, one_that_finds_too_few_shares_the_others) {
  TakenCores first(own_name()), second(own_name()), third(own_name());
  (void)first.take(four, 1);
  EXPECT_EQ(second.take(four, 4), (Cores{{1, 5}, {2, 6}, {3, 7}, {0, 4}}));
  EXPECT_EQ(third.take(four, 2), four);
}

TEST(TakenCoresTest, who_ends_gives_them_back) {
  { (void)TakenCores(own_name()).take(four, 4); }
  TakenCores next(own_name());
  EXPECT_EQ(next.take(four, 1), four);
}

TEST(TakenCoresTest, what_is_not_wanted_stays_free) {
  TakenCores first(own_name()), second(own_name());
  (void)first.take(four, 0);
  (void)first.take(four, 1);
  EXPECT_EQ(second.take(four, 3), (Cores{{1, 5}, {2, 6}, {3, 7}, {0, 4}}));
}

}  // namespace
}  // namespace armature::command
