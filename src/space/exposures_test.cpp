#include "space/exposures.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace armature::space {
namespace {

class ExposuresTest : public testing::Test {
 protected:
  std::unique_ptr<Exposures> list_ = std::make_unique<Exposures>();
};

TEST_F(ExposuresTest, hold_what_lies_wholly_in_one) {
  ASSERT_TRUE(list_->add({1000, 100, 0}));
  ASSERT_TRUE(list_->add({5000, 8, 7}));
  EXPECT_TRUE(list_->holding(1000, 100));
  EXPECT_TRUE(list_->holding(1099, 1));
  EXPECT_FALSE(list_->holding(1099, 2));
  EXPECT_FALSE(list_->holding(999, 2));
  EXPECT_FALSE(list_->holding(1050, UINT64_MAX));
  EXPECT_EQ(list_->holding(5004, 4)->kind, 7U);
}

TEST_F(ExposuresTest, one_that_was_added_twice_is_there_until_both_are_removed) {
  ASSERT_TRUE(list_->add({1000, 100, 0}));
  ASSERT_TRUE(list_->add({1000, 100, 0}));
  EXPECT_TRUE(list_->remove(1000, 100));
  EXPECT_TRUE(list_->holding(1000, 8));
  EXPECT_TRUE(list_->remove(1000, 100));
  EXPECT_FALSE(list_->holding(1000, 8));
  EXPECT_FALSE(list_->remove(1000, 100));
}

TEST_F(ExposuresTest, places_of_those_that_are_gone_are_used_again) {
  for (std::uint64_t i = 0; i < Exposures::count_max; ++i)
    ASSERT_TRUE(list_->add({16 * (i + 1), 16, 0}));
  EXPECT_FALSE(list_->add({1 << 20, 16, 0}));
  EXPECT_TRUE(list_->remove(16 * 8, 16));
  EXPECT_TRUE(list_->add({1 << 20, 16, 0}));
  EXPECT_TRUE(list_->holding(1 << 20, 16));
  EXPECT_FALSE(list_->holding(16 * 8, 16));
}

}  // namespace
}  // namespace armature::space
