#include "checkpoint/left_out.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::checkpoints {

static void PrintTo(const Ranges::Range& range, std::ostream* out) {
  *out << range.begin << ".." << range.end;
}

namespace {

using testing::ElementsAre;
using Range = Ranges::Range;

TEST(RangesTest, those_that_touch_or_overlap_become_one) {
  Ranges ranges;
  ranges.add({10, 20});
  ranges.add({30, 40});
  ranges.add({0, 5});
  ranges.add({7, 7});
  EXPECT_THAT(ranges.all(), ElementsAre(Range{0, 5}, Range{10, 20}, Range{30, 40}));
  ranges.add({20, 30});
  EXPECT_THAT(ranges.all(), ElementsAre(Range{0, 5}, Range{10, 40}));
  ranges.add({4, 50});
  EXPECT_THAT(ranges.all(), ElementsAre(Range{0, 50}));
}

TEST(RangesTest, a_range_that_is_taken_away_leaves_what_lies_around_it) {
  Ranges ranges;
  ranges.add({10, 20});
  ranges.add({30, 40});
  ranges.remove({12, 14});
  ranges.remove({18, 33});
  ranges.remove({50, 60});
  EXPECT_THAT(ranges.all(), ElementsAre(Range{10, 12}, Range{14, 18}, Range{33, 40}));
  ranges.remove({0, 100});
  EXPECT_THAT(ranges.all(), ElementsAre());
}

}  // namespace
}  // namespace armature::checkpoints
