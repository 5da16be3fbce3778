#include "message/faster_way.hpp"

#include <gtest/gtest.h>

namespace armature::message {
namespace {

/// How often of 640 times the ring is chosen, where the ways take so long.
int rings_of(FasterWay& ways, std::size_t bytes, std::uint64_t by_kernel, std::uint64_t in_ring) {
  int rings = 0;
  for (int i = 0; i < 640; ++i) {
    const FasterWay::Way way = ways.choose(bytes);
    rings += way == FasterWay::memory ? 1 : 0;
    ways.note(way, bytes, way == FasterWay::memory ? in_ring : by_kernel);
  }
  return rings;
}

TEST(FasterWay, is_the_kernel_first_and_then_the_faster_for_each_size) {
  FasterWay ways;
  EXPECT_EQ(ways.choose(std::size_t{1} << 30), FasterWay::kernel);
  EXPECT_LT(rings_of(ways, 100'000, 10'000, 20'000), 20);
  EXPECT_GT(rings_of(ways, 1'000'000, 200'000, 100'000), 620);
  EXPECT_LT(rings_of(ways, 100'000, 10'000, 20'000), 20);
}

TEST(FasterWay, is_found_out_again_where_it_changes) {
  FasterWay ways;
  EXPECT_LT(rings_of(ways, 100'000, 10'000, 20'000), 20);
  EXPECT_GT(rings_of(ways, 100'000, 80'000, 20'000), 600);
}

TEST(FasterWay, does_not_change_for_one_that_was_interrupted) {
  FasterWay ways;
  (void)rings_of(ways, 100'000, 10'000, 20'000);
  ways.note(FasterWay::kernel, 100'000, 5'000'000);
  EXPECT_LT(rings_of(ways, 100'000, 10'000, 20'000), 20);
}

}  // namespace
}  // namespace armature::message
