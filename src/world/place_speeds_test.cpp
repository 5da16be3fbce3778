#include "world/place_speeds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::hosting {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(PlaceSpeeds, processes_whose_processor_others_use_are_slower) {
  PlaceSpeeds speeds;
  speeds.begin();
  for (const double share : {0.45, 0.55}) speeds.take(0, {.share = share, .rate = 2});
  speeds.take(2, {.share = 1, .rate = 2});
  speeds.take(3, {.share = 0.99, .rate = 1});  // a slower processor
  EXPECT_THAT(speeds.of({0, 2, 3}), ElementsAre(DoubleNear(0.5, 1e-9), 1, DoubleNear(0.5, 0.011)));
}

TEST(PlaceSpeeds, little_is_chance) {
  PlaceSpeeds speeds;
  speeds.begin();
  speeds.take(0, {.share = 0.9, .rate = 1.9});
  speeds.take(1, {.share = 1, .rate = 2});
  EXPECT_TRUE(speeds.of({0, 1}).empty());
  // All have half: none is slower than another.
  speeds.begin();
  for (const int process : {0, 1}) speeds.take(process, {.share = 0.5, .rate = 2});
  EXPECT_TRUE(speeds.of({0, 1}).empty());
}

TEST(PlaceSpeeds, a_process_without_ranks_is_tried_again_later) {
  PlaceSpeeds speeds;
  speeds.begin();
  speeds.take(0, {.share = 0.25, .rate = 2});
  speeds.take(1, {.share = 1, .rate = 2});
  EXPECT_THAT(speeds.of({0, 1}), ElementsAre(DoubleNear(0.25, 0.011), 1));
  for (int times = 0; times < 4; ++times) {
    speeds.begin();
    speeds.take(1, {.share = 1, .rate = 2});
    const bool is_slow = !speeds.of({0, 1}).empty();
    EXPECT_EQ(is_slow, times < 2) << times;
  }
}

TEST(PlaceSpeeds, beside_a_slow_process_little_is_chance_too) {
  PlaceSpeeds speeds;
  speeds.begin();
  for (const int process : {0, 1, 2})
    speeds.take(process, {.share = process == 0 ? 0.4 : process == 1 ? 0.9 : 1, .rate = 2});
  EXPECT_THAT(speeds.of({0, 1, 2}), ElementsAre(DoubleNear(0.4, 0.011), 1, 1));
}

/// A processor that the job has left is no measure for those that it has.
TEST(PlaceSpeeds, a_process_that_has_gone_does_not_count) {
  PlaceSpeeds speeds;
  speeds.begin();
  speeds.take(0, {.share = 1, .rate = 4});
  speeds.take(1, {.share = 1, .rate = 2});
  EXPECT_THAT(speeds.of({0, 1}), ElementsAre(1, DoubleNear(0.5, 1e-9)));
  speeds.begin();
  speeds.take(1, {.share = 1, .rate = 2});
  EXPECT_TRUE(speeds.of({1, 2}).empty());
}

/// A process that nobody has been in is as fast as the others.
TEST(PlaceSpeeds, a_new_process_is_fast) {
  PlaceSpeeds speeds;
  speeds.begin();
  speeds.take(0, {.share = 0.5, .rate = 2});
  EXPECT_THAT(speeds.of({0, 7}), ElementsAre(DoubleNear(0.5, 0.011), 1));
}

}  // namespace
}  // namespace armature::hosting
