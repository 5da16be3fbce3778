#include "rma/subarray.hpp"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "armature/error.hpp"

namespace armature::rma {
namespace {

Subarray subarray(std::vector<std::size_t> counts, std::vector<std::ptrdiff_t> to,
                  std::vector<std::ptrdiff_t> from) {
  return Subarray::from({counts, to, from}, "test");
}

TEST(Subarray, rows_that_touch_on_both_sides_become_one) {
  const Subarray s = subarray({8, 4, 10}, {8, 32}, {8, 32});
  EXPECT_EQ(s.levels, 0u);
  EXPECT_EQ(s.row_bytes, 8u * 4 * 10);
}

TEST(Subarray, levels_of_one_vanish_and_a_count_of_zero_empties) {
  EXPECT_EQ(subarray({8, 1, 3}, {99, 100}, {98, 200}).levels, 1u);
  EXPECT_TRUE(subarray({8, 0, 3}, {8, 100}, {8, 200}).empty());
  EXPECT_TRUE(subarray({0, 5}, {8}, {8}).empty());
}

TEST(Subarray, shapes_that_cannot_be_are_refused) {
  EXPECT_THROW((void)subarray({}, {}, {}), Error);
  EXPECT_THROW((void)subarray({8, 2}, {}, {8}), Error);
  EXPECT_THROW((void)subarray({8, 2, 2}, {8}, {8}), Error);
  EXPECT_THROW((void)subarray(std::vector<std::size_t>(10, 2), std::vector<std::ptrdiff_t>(9, 8),
                              std::vector<std::ptrdiff_t>(9, 8)),
               Error);
}

TEST(Reach, covers_negative_strides) {
  const Subarray s = subarray({8, 3, 4}, {-16, 100}, {16, 100});
  const Reach r = reach(s, s.to_strides, "test");
  EXPECT_EQ(r.below, -32);
  EXPECT_EQ(r.bytes, 32u + 300 + 8);
}

TEST(Reach, overflow_is_an_error) {
  const Subarray s = subarray({8, SIZE_MAX / 4}, {PTRDIFF_MAX / 2}, {8});
  EXPECT_THROW((void)reach(s, s.to_strides, "test"), Error);
}

TEST(Reach, rows_that_would_become_one_too_long_are_no_empty_subarray) {
  const Subarray s = subarray({16, std::size_t{1} << 60}, {16}, {16});
  EXPECT_FALSE(s.empty());
  EXPECT_THROW((void)reach(s, s.to_strides, "test"), Error);
}

TEST(CopySubarray, pairs_of_rows_are_copied_whatever_their_length) {
  std::vector<unsigned char> from(4000), to(4000), expected(4000);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<unsigned char>(i * 31 + i / 256);
  for (std::size_t bytes = 1; bytes <= 20; ++bytes) {
    // The pair lies the other way round at the source, as ghosts of a ring do.
    const Subarray s = subarray({bytes, 2, 5, 3}, {60, 100, 600}, {-40, 110, 700});
    std::fill(to.begin(), to.end(), static_cast<unsigned char>(0xcc));
    expected = to;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t j = 0; j < 5; ++j)
        for (std::size_t i = 0; i < 2; ++i)
          std::memcpy(&expected[60 * i + 100 * j + 600 * k], &from[40 + 110 * j + 700 * k - 40 * i],
                      bytes);
    copy_subarray(to.data(), &from[40], s);
    ASSERT_EQ(to, expected) << bytes;
  }
}

TEST(CopyRows, every_row_length_and_distance_is_right) {
  std::vector<unsigned char> from(70000), to(70000), expected(70000);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<unsigned char>(i * 31 + i / 256);
  for (std::size_t bytes = 1; bytes <= 300; ++bytes) {
    std::fill(to.begin(), to.end(), static_cast<unsigned char>(0xcc));
    expected = to;
    constexpr std::size_t rows = 13;
    const std::size_t to_stride = bytes + 5, from_stride = bytes + 1;
    for (std::size_t i = 0; i < rows; ++i)
      std::memcpy(&expected[i * to_stride + 3], &from[i * from_stride], bytes);
    copy_rows(&to[3], static_cast<std::ptrdiff_t>(to_stride), from.data(),
              static_cast<std::ptrdiff_t>(from_stride), rows, bytes);
    ASSERT_EQ(to, expected) << bytes;
  }
}

}  // namespace
}  // namespace armature::rma
