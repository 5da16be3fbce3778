#include "rma/subarray.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "copies/kind.hpp"
#include "harness/job.hpp"
#include "rma/copy_large.hpp"

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

/// Copies a transpose, of which there are three, and compares all bytes of the target. Rows on both
/// sides lie farther apart than they are long, at the source from the last to the first.
void expect_transposed(std::size_t bytes, std::size_t rows, std::size_t columns) {
  const std::size_t to_row = (rows + 3) * bytes, from_row = columns * bytes + 4;
  const std::size_t to_all = to_row * columns + 12, from_all = from_row * rows + 20;
  const auto distance = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  std::vector<unsigned char> from(3 * from_all), to(3 * to_all, 0xcc);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<unsigned char>(i * 31 + i / 256);
  std::vector<unsigned char> expected = to;
  const std::size_t last = from_row * (rows - 1);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        std::memcpy(&expected[k * to_all + j * to_row + i * bytes],
                    &from[k * from_all + last - i * from_row + j * bytes], bytes);
  const std::ptrdiff_t back = -distance(from_row), element = distance(bytes);
  const Subarray along_to =
      subarray({bytes, rows, columns, 3}, {element, distance(to_row), distance(to_all)},
               {back, element, distance(from_all)});
  const Subarray along_from =
      subarray({bytes, 3, columns, rows}, {distance(to_all), distance(to_row), element},
               {distance(from_all), element, back});
  for (const Subarray& one : {along_to, along_from}) {
    std::fill(to.begin(), to.end(), static_cast<unsigned char>(0xcc));
    copy_subarray(to.data(), &from[last], one);
    ASSERT_TRUE(to == expected) << rows << " x " << columns << " of " << bytes;
  }
}

TEST(CopySubarray, transposes_are_copied_whatever_their_extents) {
  for (const std::size_t bytes : {1, 2, 4, 8, 12, 16, 32})
    for (const std::size_t rows : {1, 2, 7, 8, 9, 16, 31, 32, 33, 64, 70})
      for (const std::size_t columns : {1, 3, 8, 15, 16, 32, 40, 65})
        expect_transposed(bytes, rows, columns);
}

TEST(CopySubarray, transposes_that_no_cache_holds_are_stored_past_it) {
  const harness::Job job(1);
  job.mapping().header().copies_by.past_cache_min = std::size_t{2} << 20;
  constexpr std::size_t rows = 525, columns = 530, line = 8;  // doubles
  constexpr std::ptrdiff_t to_stride = 528;                   // a multiple of a line
  std::vector<double> from(rows * columns), memory(to_stride * columns + line);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<double>(i + 1);
  const std::size_t past_line = reinterpret_cast<std::uintptr_t>(memory.data()) / 8 % line;
  double* const aligned = memory.data() + (line - past_line) % line;
  copy_subarray(aligned, from.data(),
                subarray({8, columns, rows}, {8 * to_stride, 8}, {8, 8 * columns}));
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < to_stride; ++i)
      ASSERT_EQ(aligned[j * to_stride + i], i < rows ? from[i * columns + j] : 0) << i << ' ' << j;
}

/// Copies 2 x 3 x `rows` rows and compares all of both memories' bytes.
void expect_long_rows(std::size_t bytes, std::size_t rows) {
  const std::size_t to_row = bytes + 40, from_row = bytes + 24;
  const Subarray s =
      subarray({bytes, rows, 3, 2},
               {static_cast<std::ptrdiff_t>(to_row), static_cast<std::ptrdiff_t>(to_row * rows + 8),
                static_cast<std::ptrdiff_t>(3 * to_row * rows + 100)},
               {static_cast<std::ptrdiff_t>(from_row), static_cast<std::ptrdiff_t>(from_row * rows),
                static_cast<std::ptrdiff_t>(3 * from_row * rows)});
  std::vector<unsigned char> from(6 * from_row * rows), to(6 * to_row * rows + 200, 0xcc);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<unsigned char>(i * 31 + i / 256);
  std::vector<unsigned char> expected = to;
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t i = 0; i < rows; ++i)
        std::memcpy(&expected[to_row * i + (to_row * rows + 8) * j + (3 * to_row * rows + 100) * k],
                    &from[from_row * (i + rows * j + 3 * rows * k)], bytes);
  copy_subarray(to.data(), from.data(), s);
  EXPECT_TRUE(to == expected) << rows << " rows of " << bytes;
}

TEST(CopySubarray, rows_that_no_cache_holds_together_are_stored_past_it) {
  const harness::Job job(1);
  auto& choices = job.mapping().header().copies_by;
  constexpr std::size_t cache_bytes = std::size_t{2} << 20;
  choices.past_cache_min = cache_bytes;
  EXPECT_EQ(way_past_cache(cache_bytes - 1, false), nullptr);
  const copies::Copy way = way_past_cache(cache_bytes, false);
  const auto is_it = [&](const copies::Candidate& one) { return one.copy == way; };
  ASSERT_TRUE(std::ranges::any_of(copies::candidates, is_it));
  EXPECT_TRUE(std::ranges::find_if(copies::candidates, is_it)->past_cache ||
              copies::usual_way(true) == copies::Way::libc);
  for (const std::size_t bytes : {2049, 4096, 5000, 16'384}) {
    expect_long_rows(bytes, cache_bytes / bytes / 6);  // just not
    expect_long_rows(bytes, cache_bytes / bytes);
  }
  // Rows are no trial of it.
  constexpr copies::Kind kind{copies::Size::past_cache, false};
  EXPECT_EQ(choices.way[kind.number()], space::CopyChoices::open);
  // Each kind has its own.
  constexpr auto libc = static_cast<std::uint8_t>(copies::Way::libc);
  choices.way[kind.number()] = static_cast<std::uint8_t>(space::CopyChoices::chosen + libc);
  EXPECT_EQ(way_past_cache(cache_bytes, false), copies::copy_by_libc);
  EXPECT_EQ(way_past_cache(cache_bytes, true), way);
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
