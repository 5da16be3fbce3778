#include "checkpoint/copies.hpp"

#include <gtest/gtest.h>

#include "space/copy_file.hpp"

namespace armature::checkpoints {
namespace {

constexpr std::uint32_t file_of(std::uint32_t number) { return number & 1; }
constexpr std::uint32_t table_of(std::uint32_t number) { return number >> 1 & 1; }

TEST(CopiesTest, the_next_copy_is_greater_and_in_the_other_file) {
  std::uint32_t number = 0;
  for (int i = 0; i < 9; ++i) {
    const std::uint32_t next = copy_after(number);
    EXPECT_GT(next, number);
    if (number != 0) {
      EXPECT_NE(file_of(next), file_of(number));
    }
    number = i % 3 == 2 ? mended_copy(next) : next;
  }
}

TEST(CopiesTest, a_mended_copy_is_greater_in_the_same_file_with_another_table_of_places) {
  for (std::uint32_t number = copy_after(0); number < 20; number = copy_after(number)) {
    EXPECT_GT(mended_copy(number), number);
    EXPECT_EQ(file_of(mended_copy(number)), file_of(number));
    EXPECT_NE(table_of(mended_copy(number)), table_of(number));
    EXPECT_NE(mended_copy(number), copy_after(number));
  }
}

TEST(CopiesTest, records_and_both_tables_of_places_lie_behind_each_other) {
  space::ControlHeader job;
  job.ranks = 5;
  job.layout.segment_bytes = 1 << 20;
  job.nodes = 2;
  EXPECT_EQ(space::place_of_record(job, -1), space::records_offset(job));
  EXPECT_EQ(space::place_of_home(job, 0, 0), space::place_of_record(job, 4) + space::record_bytes);
  EXPECT_EQ(space::place_of_home(job, 1, 0), space::place_of_home(job, 0, 4) + space::home_bytes);
  EXPECT_EQ(space::copy_file_bytes(job), space::place_of_home(job, 1, 4) + space::home_bytes);
}

}  // namespace
}  // namespace armature::checkpoints
