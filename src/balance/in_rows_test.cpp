#include "balance/in_rows.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::balance {
namespace {

using testing::ElementsAre;

Plan plan(const std::vector<double>& loads, int places, std::vector<int> kept = {}) {
  kept.resize(loads.size(), -1);
  return in_rows(loads, kept, places);
}

TEST(InRows, equal_items_are_shared_out_as_numbers_are) {
  EXPECT_THAT(plan({1, 1, 1, 1, 1, 1}, 3), ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(plan({1, 1, 1, 1}, 1), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(plan({1, 1}, 2), ElementsAre(0, 1));
  for (const int places : {2, 3, 4, 7}) {
    std::vector<int> count(static_cast<std::size_t>(places));
    for (const int place : plan(std::vector<double>(100, 0.1), places))
      ++count[static_cast<std::size_t>(place)];
    for (const int each : count) EXPECT_NEAR(each, 100 / places, 1) << places;
  }
}

TEST(InRows, the_load_counts_and_neighbours_stay_together) {
  EXPECT_THAT(plan({6, 1, 1, 1, 1, 1, 1}, 2), ElementsAre(0, 1, 1, 1, 1, 1, 1));
  EXPECT_THAT(plan({1, 1, 1, 1, 1, 1, 6}, 2), ElementsAre(0, 0, 0, 0, 0, 0, 1));
  EXPECT_THAT(plan({4, 1, 1, 1, 1, 4}, 3), ElementsAre(0, 1, 1, 1, 1, 2));
}

TEST(InRows, no_place_is_empty_where_none_may_be) {
  EXPECT_THAT(first_in_rows(std::vector<double>{1, 1, 1, 1, 1, 1}, 3), ElementsAre(0, 2, 4));
  EXPECT_THAT(first_in_rows(std::vector<double>{9, 1, 1, 1, 1, 1, 1}, 2), ElementsAre(0, 1));
  EXPECT_THAT(first_in_rows(std::vector<double>{1, 0, 0, 0}, 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(first_in_rows(std::vector<double>{0, 0, 0, 9}, 3), ElementsAre(0, 2, 3));
  EXPECT_THAT(first_in_rows(std::vector<double>{0, 0, 0}, 2), ElementsAre(0, 2));
  EXPECT_THAT(first_in_rows(std::vector<double>{5}, 1), ElementsAre(0));
}

TEST(InRows, one_that_is_more_than_a_share_takes_a_place_and_no_more) {
  EXPECT_THAT(plan({100, 1, 1, 1}, 2), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(plan({1, 1, 100}, 2), ElementsAre(0, 0, 1));
  EXPECT_THAT(plan({100, 1, 1, 1, 1}, 3), ElementsAre(0, 1, 1, 2, 2)) << "nor is one empty";
}

TEST(InRows, those_that_stay_count_to_their_place) {
  EXPECT_THAT(plan({1, 1, 1, 1}, 2, {1, 1}), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(plan({1, 1, 1, 1}, 2, {-1, -1, 0, 0}), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(plan({9, 1, 1}, 2, {0}), ElementsAre(0, 1, 1));
  EXPECT_THAT(plan({9, 1, 1, 1, 1}, 3, {0}), ElementsAre(0, 1, 1, 2, 2));
}

TEST(InRows, no_place_is_empty_while_there_are_items_for_it) {
  EXPECT_THAT(plan({1, 0, 0, 0}, 3), ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(plan({0, 0, 0, 9}, 3), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(plan({0, 0, 0, 0}, 3, {-1, -1, 1, -1}), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(plan({0, 0}, 3, {2, -1}), ElementsAre(2, 0));
}

TEST(InRows, of_items_without_load_all_have_a_place) {
  EXPECT_THAT(plan({0, 0, 0}, 2), ElementsAre(0, 0, 1));
  EXPECT_THAT(plan({}, 2), ElementsAre());
}

}  // namespace
}  // namespace armature::balance
