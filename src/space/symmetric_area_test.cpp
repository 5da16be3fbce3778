#include "space/symmetric_area.hpp"

#include <map>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace armature::space {
namespace {

TEST(SymmetricAreaTest, places_are_given_from_the_end_down_and_gaps_are_filled) {
  SymmetricArea area(100);
  EXPECT_EQ(area.highest(30, 1000, 0), 70U);
  ASSERT_TRUE(area.take({70, 100}));
  ASSERT_TRUE(area.take({50, 70}));
  ASSERT_TRUE(area.take({20, 50}));
  EXPECT_EQ(area.begin(), 20U);
  EXPECT_EQ(area.release(50)->end, 70U);
  EXPECT_EQ(area.highest(20, 1000, 0), 50U);
  EXPECT_EQ(area.highest(21, 1000, 0), std::nullopt);
  EXPECT_EQ(area.highest(10, 65, 0), 55U);
  EXPECT_EQ(area.highest(10, 55, 0), 10U);
  EXPECT_EQ(area.highest(10, 55, 11), std::nullopt);
}

TEST(SymmetricAreaTest, what_is_taken_is_taken_once) {
  SymmetricArea area(100);
  ASSERT_TRUE(area.take({40, 60}));
  for (const SymmetricArea::Part part :
       {SymmetricArea::Part{40, 60}, {30, 41}, {59, 70}, {45, 50}, {0, 100}, {90, 101}, {5, 5}})
    EXPECT_FALSE(area.take(part)) << part.begin;
  EXPECT_TRUE(area.take({30, 40}));
  EXPECT_TRUE(area.take({60, 100}));
  EXPECT_FALSE(area.release(45));
}

// Several ranks agree in this way: each offers its highest place below the last common one.
TEST(SymmetricAreaTest, a_place_that_is_free_at_all_is_found_by_going_down) {
  base::Random random(7);
  SymmetricArea areas[2] = {SymmetricArea(4096), SymmetricArea(4096)};
  std::map<std::uint64_t, std::uint64_t> common;
  for (int step = 0; step < 2000; ++step) {
    auto& one = areas[random.below(2)];
    const std::uint64_t begin = random.below(4000);
    if (random.below(2) == 0) (void)one.take({begin, begin + 1 + random.below(40)});
    const std::uint64_t bytes = 1 + random.below(64);
    std::uint64_t end = UINT64_MAX;
    std::optional<std::uint64_t> first, second;
    do {
      first = areas[0].highest(bytes, end, 0);
      second = areas[1].highest(bytes, end, 0);
      if (!first || !second) break;
      end = std::min(*first, *second) + bytes;
    } while (first != second);
    if (!first || !second) break;
    ASSERT_TRUE(areas[0].take({*first, *first + bytes}));
    ASSERT_TRUE(areas[1].take({*first, *first + bytes}));
    common[*first] = bytes;
    if (common.size() > 8) {
      for (auto& area : areas)
        ASSERT_EQ(area.release(common.begin()->first)->begin, common.begin()->first);
      common.erase(common.begin());
    }
  }
  EXPECT_FALSE(common.empty());
}

}  // namespace
}  // namespace armature::space
