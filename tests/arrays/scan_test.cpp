#include <functional>

#include "cases.hpp"

using namespace arrays;

namespace {

/// A line of numbers, all or some of them with a step, some backwards.
struct RangedLine {
  RangedLine(Random& random, std::ptrdiff_t count, long first)
      : step(random(1, 3)),
        numbers(random, {std::max<std::ptrdiff_t>(1, count * step + random(0, 4))}, first),
        range(random(0, 1) == 0 ? Range::of(0, count, step)
                                : Range::of((count - 1) * step, count, -step)) {
    if (count == 0) range = Range(0, 0);
  }
  auto section() { return numbers.array[{range}]; }
  long& operator[](std::ptrdiff_t i) { return numbers.model[{range[i]}]; }
  void expect() { expect_blocks(numbers.array, numbers.model); }

  std::ptrdiff_t step;
  Numbered<1> numbers;
  Range range;
};

/// Marks a third of a line, and tells which.
std::vector<bool> mark_some(Random& random, RangedLine& marks, std::ptrdiff_t count) {
  std::vector<bool> is_marked;
  for (std::ptrdiff_t i = 0; i < count; ++i) is_marked.push_back(random(0, 2) == 0);
  for_each(marks.numbers.array, [](long& x) { x = 0; });
  if (me() == 0)
    for (std::ptrdiff_t i = 0; i < count; ++i)
      marks.numbers.array(marks.range[i]) = is_marked[static_cast<std::size_t>(i)] ? 7 : 0;
  marks.numbers.array.fence();
  return is_marked;
}

/// The ends of a stretch of elements: joining two of them does not commute.
struct Stretch {
  long first = 0, last = 0;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

}  // namespace

TEST(Scan, sums_restart_at_marks) {
  for_seeds(60, [](Random& random) {
    const std::ptrdiff_t n = random(0, 40);
    RangedLine in(random, n, 3), out(random, n, 100), marks(random, n, 0);
    const auto is_marked = mark_some(random, marks, n);
    const bool is_exclusive = random(0, 1) == 0, has_marks = random(0, 2) > 0;
    if (has_marks)
      scan_add(out.section(), in.section(), marks.section(), {.is_exclusive = is_exclusive});
    else
      scan_add(out.section(), in.section(), {.is_exclusive = is_exclusive});
    long sum = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      if (has_marks && is_marked[static_cast<std::size_t>(i)]) sum = 0;
      if (is_exclusive) out[i] = sum;
      sum += in[i];
      if (!is_exclusive) out[i] = sum;
    }
    out.expect();
    in.expect();
    out.numbers.array.fence();
  });
}

TEST(Scan, marked_elements_are_copied_to_those_behind) {
  for_seeds(30, [](Random& random) {
    const std::ptrdiff_t n = random(1, 40);
    RangedLine line(random, n, 3), marks(random, n, 0);
    const auto is_marked = mark_some(random, marks, n);
    scan_copy(line.section(), line.section(), marks.section());  // in place
    for (std::ptrdiff_t i = 1; i < n; ++i)
      if (!is_marked[static_cast<std::size_t>(i)]) line[i] = line[i - 1];
    line.expect();
    line.numbers.array.fence();
  });
}

TEST(Scan, operators_need_not_commute) {
  for_seeds(20, [](Random& random) {
    const std::ptrdiff_t n = random(1, 30);
    armature::distributed_array<Stretch, 1> in(world(), {n}), out(world(), {n});
    armature::distributed_array<bool, 1> starts(
        world(), {n}, {.distribution = {armature::Distribution::cyclic(2)}});
    const std::ptrdiff_t period = random(1, 9);
    generate(in, [](const Indices<1>& i) { return Stretch{i[0], i[0]}; });
    generate(starts, [=](const Indices<1>& i) { return i[0] % period == 0; });
    const auto join = [](const Stretch& a, const Stretch& b) { return Stretch{a.first, b.last}; };
    scan(out, in, join);
    const auto mine = std::as_const(out).local();
    for (std::ptrdiff_t i = 0; i < mine.extent(0); ++i)
      EXPECT_EQ(mine(i), (Stretch{0, out.global({i})[0]}));
    out.fence();
    scan(out, in, starts, join);
    for (std::ptrdiff_t i = 0; i < mine.extent(0); ++i) {
      const std::ptrdiff_t at = out.global({i})[0];
      EXPECT_EQ(mine(i), (Stretch{at / period * period, at}));
    }
    out.fence();
  });
}

TEST(Pack, marked_elements_lie_one_behind_the_other) {
  for_seeds(50, [](Random& random) {
    const std::ptrdiff_t n = random(0, 40);
    RangedLine in(random, n, 3), marks(random, n, 0), out(random, n, 100), back(random, n, 200);
    const auto is_marked = mark_some(random, marks, n);
    std::ptrdiff_t count = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i)
      if (is_marked[static_cast<std::size_t>(i)]) out[count++] = in[i];
    EXPECT_EQ(pack(out.section(), in.section(), marks.section()), count);
    out.expect();
    out.numbers.array.fence();
    EXPECT_EQ(unpack(back.section(), out.section(), marks.section()), count);
    for (std::ptrdiff_t i = 0; i < n; ++i)
      if (is_marked[static_cast<std::size_t>(i)]) back[i] = in[i];
    back.expect();
    back.numbers.array.fence();
  });
}

TEST(Scan, mistakes_are_named_by_all) {
  using armature::Errc;
  armature::distributed_array<long, 1> a(world(), {6}, {.name = "a"}),
      b(world(), {5}, {.name = "b"});
  armature::distributed_array<long, 2> plane(world(), {6, 2}, {.name = "plane"});
  fill(a, 1);
  conformance::expect_error(Errc::bad_argument, {"scan_add", "'a'", "6", "'b'", "5"},
                            [&] { scan_add(a, b); });
  conformance::expect_error(Errc::bad_argument, {"scan_copy", "'plane'", "6 x 2", "no line"},
                            [&] { scan_copy(a.all(), plane.all(), a.all()); });
  conformance::expect_error(Errc::bad_argument, {"pack", "6 elements", "'b'", "5"},
                            [&] { (void)pack(b, a, a); });
  conformance::expect_error(Errc::bad_argument, {"unpack", "6 elements", "'b'", "5"},
                            [&] { (void)unpack(a, b, a); });
}
