#include "collective/notice.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace armature::collective {
namespace {

TEST(Notice, a_mistake_concerns_one_collective_alone) {
  const Notice notice{.team = 3, .number = 7, .code = Errc::bad_argument, .rank = 1};
  EXPECT_TRUE(concerns(notice, 3, 7));
  EXPECT_FALSE(concerns(notice, 3, 8));
  EXPECT_FALSE(concerns(notice, 3, 6));
  EXPECT_FALSE(concerns(notice, 4, 7));
}

TEST(Notice, a_death_concerns_all_that_follow) {
  Notice notice{.team = 3, .number = 7, .code = Errc::rank_lost, .rank = 1};
  EXPECT_TRUE(concerns(notice, 3, 7));
  EXPECT_TRUE(concerns(notice, 3, 8));
  EXPECT_FALSE(concerns(notice, 3, 6));
  EXPECT_FALSE(concerns(notice, 4, 8));
  notice.is_for_later = true;
  EXPECT_FALSE(concerns(notice, 3, 7));
  EXPECT_TRUE(concerns(notice, 3, 8));
}

TEST(Notice, one_that_is_shown_concerns_all_that_follow) {
  const Notice notice{
      .team = 3, .number = 7, .code = Errc::out_of_memory, .rank = 1, .is_shown = true};
  EXPECT_FALSE(concerns(notice, 3, 6));
  EXPECT_TRUE(concerns(notice, 3, 7));
  EXPECT_TRUE(concerns(notice, 3, 8));
  EXPECT_FALSE(concerns(notice, 4, 8));
}

TEST(Notice, numbers_wrap_around) {
  const Notice notice{.team = 3, .number = UINT32_MAX, .code = Errc::rank_lost, .rank = 1};
  EXPECT_TRUE(concerns(notice, 3, 0));
  EXPECT_FALSE(concerns(notice, 3, UINT32_MAX - 1));
}

}  // namespace
}  // namespace armature::collective
