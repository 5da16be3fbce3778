#include "cases.hpp"

using namespace arrays;

namespace {

template <int N>
Ranges<N> shifted(const Ranges<N>& ranges, const Indices<N>& by) {
  Ranges<N> moved;
  for (std::size_t d = 0; d < N; ++d)
    moved[d] = Range::of(ranges[d].first() + by[d], ranges[d].count(), ranges[d].step());
  return moved;
}

/// a[s] = a[s + shift] + 2 * b[s], on random distributions.
void transform_once(std::uint64_t seed) {
  Random random(seed);
  const auto shape = random_shape<2>(random, 12);
  const auto options = random_options<2>(random, shape, random_kinds<2>(random), true);
  const auto other = random_options<2>(random, shape, random_kinds<2>(random), true);
  const testing::ScopedTrace trace(__FILE__, __LINE__, text<2>(seed, shape, options));
  armature::distributed_array<long, 2> a(world(), shape, options), b(world(), shape, other);
  Model<2> a_model(shape), b_model(shape);
  number(a, a_model);
  number(b, b_model, 1000);
  Ranges<2> ranges;
  Indices<2> shift;
  for (std::size_t d = 0; d < 2; ++d) {
    shift[d] = random(-std::min<std::ptrdiff_t>(2, shape[d] - 1),
                      std::min<std::ptrdiff_t>(2, shape[d] - 1));
    const std::ptrdiff_t low = std::max<std::ptrdiff_t>(0, -shift[d]);
    const std::ptrdiff_t high = shape[d] - std::max<std::ptrdiff_t>(0, shift[d]);
    ranges[d] = Range(random(low, high - 1), high, random(1, 2));
  }
  const auto f = [](long x, long y) { return x + 2 * y; };
  armature::section_transform twice(a[ranges], f, a[shifted<2>(ranges, shift)], b[ranges]);
  for (int turn = 0; turn < 2; ++turn) {
    twice.run();
    Model<2> before = a_model;
    for_section<2>(ranges, [&](const Indices<2>& i) {
      a_model[i] = before[{i[0] + shift[0], i[1] + shift[1]}] + 2 * b_model[i];
    });
    expect_blocks(a, a_model);
    a.fence();
  }
}

}  // namespace

TEST(SectionTransform, shifted_operands_agree_with_the_model_whatever_the_distributions) {
  for (std::uint64_t seed = 0; seed < 60U && !testing::Test::HasFailure(); ++seed)
    transform_once(seed);
}

TEST(SectionTransform, a_shift_within_the_ghosts_costs_one_message_a_neighbour) {
  const std::ptrdiff_t n = 4L * ranks();
  armature::distributed_array<double, 1> a(world(), {n}, {.ghosts = {1}});
  generate(a, [](const Indices<1>& i) { return static_cast<double>(i[0] * i[0]); });
  const auto mean = [](double left, double right) { return (left + right) / 2; };
  armature::section_transform left(
      a[{Range(1, n - 1)}], [](double x) { return x; }, a[{Range(0, n - 2)}]);
  EXPECT_EQ(left.copies(), 0U);
  const auto is_far = [](int rank) {
    return rank >= 0 && rank < ranks() && !armature::same_node(me(), rank);
  };
  const std::size_t far = (is_far(me() - 1) ? 1U : 0U) + (is_far(me() + 1) ? 1U : 0U);
  EXPECT_EQ(left.messages(), far);
  transform(a[{Range(1, n - 1)}], mean, a[{Range(0, n - 2)}], a[{Range(2, n)}]);
  for (std::ptrdiff_t i = 1; i < n - 1; ++i) EXPECT_EQ(a(i), static_cast<double>(i * i + 1)) << i;
  a.fence();
  // Two places are farther than the ghosts reach.
  const armature::section_transform far_left(
      a[{Range(2, n)}], [](double x) { return x; }, a[{Range(0, n - 2)}]);
  EXPECT_EQ(far_left.copies(), 1U);
}

TEST(SectionTransform, operands_may_be_of_other_types_and_dimensions) {
  armature::distributed_array<double, 2> out(world(), {6, 5});
  armature::distributed_array<int, 3> cube(world(), {5, 4, 6});
  generate(cube,
           [](const Indices<3>& i) { return static_cast<int>(100 * i[0] + 10 * i[1] + i[2]); });
  transform(
      out.all(), [](double x, int y) { return x + y + 0.5; }, std::as_const(out).all(),
      cube[{Range(), 3, Range()}].transposed());
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 5; ++j) EXPECT_EQ(out(i, j), 100 * j + 30 + i + 0.5);
  out.fence();
  conformance::expect_error(armature::Errc::bad_argument, {"6 x 5", "5 x 6"}, [&] {
    transform(
        out.all(), [](int y) { return 1.0 * y; }, cube[{Range(), 3, Range()}]);
  });
}
