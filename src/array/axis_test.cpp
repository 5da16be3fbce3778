#include "armature/array/axis.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armature/array/layout.hpp"
#include "armature/error.hpp"

namespace armature::detail {
namespace {

struct Example {
  const char* name;
  Distribution distribution;
};

std::vector<Example> examples() {
  return {{"block", Distribution::block()},
          {"block(5)", Distribution::block(5)},
          {"cyclic", Distribution::cyclic()},
          {"cyclic(2)", Distribution::cyclic(2)},
          {"cyclic(4)", Distribution::cyclic(4)},
          {"gen_block", Distribution::gen_block({0, 9, 3, 1})},
          {"map", Distribution::map({3, 0, 0, 1, 3, 3, 2, 0, 0, 1, 2, 2, 3})}};
}

std::vector<Range> ranges(std::ptrdiff_t extent) {
  std::vector<Range> all{Range(0, 0)};
  for (std::ptrdiff_t first = 0; first < extent; ++first)
    for (std::ptrdiff_t step = 1; step <= extent; ++step)
      for (std::ptrdiff_t count = 1; first + (count - 1) * step < extent; ++count) {
        all.push_back(Range::of(first, count, step));
        all.push_back(Range::of(first + (count - 1) * step, count, -step));
      }
  return all;
}

/// Checks that the runs of all positions are every number of the range once, each with the place of
/// its index.
void expect_runs(const ArrayAxis& axis, const Range& range, bool is_periodic) {
  std::vector<int> seen(static_cast<std::size_t>(range.count()));
  for (int p = 0; p < axis.positions(); ++p) {
    std::vector<ArrayRun> runs;
    if (is_periodic)
      axis.append_periodic_runs(p, range, runs);
    else
      axis.append_runs(p, range, 0, runs);
    for (const ArrayRun& run : runs)
      for (std::ptrdiff_t i = 0; i < run.count; ++i) {
        const std::ptrdiff_t number = run.at + i * run.step;
        ASSERT_TRUE(number >= 0 && number < range.count());
        ++seen[static_cast<std::size_t>(number)];
        const std::ptrdiff_t index =
            (range[number] % axis.extent() + axis.extent()) % axis.extent();
        ASSERT_EQ(axis.owner(index), p);
        ASSERT_EQ(axis.local(index), run.local + i * run.local_step);
      }
  }
  for (const int times : seen) ASSERT_EQ(times, 1);
}

TEST(ArrayAxis, every_index_has_one_place) {
  for (const Example& one : examples()) {
    const ArrayAxis axis("it", one.distribution, 13, 4);
    std::ptrdiff_t all = 0;
    for (int p = 0; p < 4; ++p) {
      all += axis.count(p);
      for (std::ptrdiff_t i = 0; i < axis.count(p); ++i) {
        const std::ptrdiff_t index = axis.global(p, i);
        EXPECT_EQ(axis.owner(index), p) << one.name;
        EXPECT_EQ(axis.local(index), i) << one.name;
      }
    }
    EXPECT_EQ(all, 13) << one.name;
  }
}

TEST(ArrayAxis, runs_cover_every_range_once) {
  for (const Example& one : examples()) {
    SCOPED_TRACE(one.name);
    const ArrayAxis axis("it", one.distribution, 13, 4);
    for (const Range& range : ranges(13)) {
      expect_runs(axis, range, false);
      expect_runs(axis, range, true);
      expect_runs(axis, Range::of(range.first() - 20, range.count() + 3, range.step()), true);
    }
  }
}

TEST(ArrayAxis, dealt_out_indices_are_one_run) {
  const ArrayAxis axis("it", Distribution::cyclic(), 1'000'000, 7);
  std::vector<ArrayRun> runs;
  axis.append_runs(3, Range(5, 1'000'000, 3), 0, runs);
  EXPECT_EQ(runs.size(), 1U);
}

TEST(ArrayAxis, what_two_runs_have_in_common_is_one_run) {
  for (std::ptrdiff_t a = 0; a < 8; ++a)
    for (std::ptrdiff_t a_step = 1; a_step < 7; ++a_step)
      for (std::ptrdiff_t b = 0; b < 8; ++b)
        for (std::ptrdiff_t b_step = 1; b_step < 7; ++b_step) {
          const ArrayRun one{a, a_step, 6, 100, 2}, other{b, b_step, 5, 50, -1};
          std::vector<ArrayRun> ours, theirs;
          append_common(one, other, ours, theirs);
          std::ptrdiff_t expected = 0;
          for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 5; ++j)
              if (a + i * a_step == b + j * b_step) {
                ASSERT_EQ(ours.size(), 1U);
                ASSERT_EQ(ours[0].at + expected * ours[0].step, a + i * a_step);
                ASSERT_EQ(ours[0].local + expected * ours[0].local_step, 100 + 2 * i);
                ASSERT_EQ(theirs[0].local + expected * theirs[0].local_step, 50 - j);
                ++expected;
              }
          ASSERT_EQ(expected, ours.empty() ? 0 : ours[0].count);
        }
}

TEST(ArrayGrid, is_compact_and_prefers_far_dimensions) {
  const auto chosen = [](std::vector<std::ptrdiff_t> shape, int members, Order order,
                         std::vector<int> grid) {
    choose_grid(shape, members, order, grid);
    return grid;
  };
  using Grid = std::vector<int>;
  EXPECT_EQ(chosen({100, 100}, 4, Order::row_major, {0, 0}), (Grid{2, 2}));
  EXPECT_EQ(chosen({100, 100}, 2, Order::row_major, {0, 0}), (Grid{2, 1}));
  EXPECT_EQ(chosen({100, 100}, 2, Order::column_major, {0, 0}), (Grid{1, 2}));
  EXPECT_EQ(chosen({100, 100}, 6, Order::row_major, {0, 1}), (Grid{6, 1}));
  EXPECT_EQ(chosen({1000, 10}, 4, Order::row_major, {0, 0}), (Grid{4, 1}));
  EXPECT_EQ(chosen({10, 1000}, 4, Order::row_major, {0, 0}), (Grid{1, 4}));
  EXPECT_EQ(chosen({64, 64, 64}, 8, Order::row_major, {0, 0, 0}), (Grid{2, 2, 2}));
  EXPECT_EQ(chosen({2, 2}, 7, Order::row_major, {0, 0}), (Grid{7, 1}));
}

}  // namespace
}  // namespace armature::detail
