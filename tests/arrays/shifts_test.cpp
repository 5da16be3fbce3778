#include "cases.hpp"

using namespace arrays;

namespace {

enum class Ends { circular, kept, boundary };

/// out(i) = a(i + by) in dimension d; `is_same`: out is a.
void shift_once(Random& random, Ends ends, bool is_same) {
  const auto shape = random_shape<2>(random, 12);
  Numbered<2> a(random, shape, 0), other(random, shape, 1000);
  Numbered<2>& out = is_same ? a : other;
  const int d = static_cast<int>(random(0, 1));
  const auto at = static_cast<std::size_t>(d);
  const std::ptrdiff_t by = random(-15, 15);
  if (ends == Ends::circular) cshift(out.array, a.array, by, d);
  if (ends == Ends::kept) shift(out.array, a.array, by, d);
  if (ends == Ends::boundary) eoshift(out.array, a.array, by, -5, d);
  Model<2> before = a.model;
  for_all<2>(shape, [&](const Indices<2>& i) {
    Indices<2> from = i;
    from[at] += by;
    const bool is_there = from[at] >= 0 && from[at] < shape[at];
    if (is_there || ends == Ends::circular)
      out.model[i] = before.wrapped(from);
    else if (ends == Ends::boundary)
      out.model[i] = -5;
  });
  expect_blocks(out.array, out.model);
  out.array.fence();
}

void shift_many(Ends ends) {
  for (int i = 0; i < conformance::often(40) && !testing::Test::HasFailure(); ++i) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(i));
    Random random(static_cast<std::uint64_t>(i));
    shift_once(random, ends, i % 4 == 3);
  }
}

}  // namespace

TEST(Shifts, a_circular_shift_goes_on_at_the_other_end) { shift_many(Ends::circular); }
TEST(Shifts, a_shift_keeps_what_has_no_partner) { shift_many(Ends::kept); }
TEST(Shifts, an_end_off_shift_fills_with_the_boundary) { shift_many(Ends::boundary); }

TEST(Shifts, mistakes_are_named) {
  armature::distributed_array<long, 2> a(world(), {3, 4}, {.name = "a"}), b(world(), {4, 3});
  for (const int d : {-1, 2})
    conformance::expect_error(armature::Errc::bad_argument, {"'a'", std::to_string(d), "2"},
                              [&] { cshift(a, a, 1, d); });
  conformance::expect_error(armature::Errc::bad_argument, {"'a'", "'array'", "3 x 4", "4 x 3"},
                            [&] { shift(b, a, 1); });
}

TEST(Where, elements_are_assigned_where_the_mask_is_true) {
  for (int i = 0; i < conformance::often(20) && !testing::Test::HasFailure(); ++i) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(i));
    Random random(static_cast<std::uint64_t>(i));
    const auto shape = random_shape<2>(random, 10);
    Numbered<2> a(random, shape, 1), out(random, shape, 500);
    armature::distributed_array<bool, 2> mask(
        world(), shape, random_options<2>(random, shape, random_kinds<2>(random), false));
    generate(mask, [](const Indices<2>& at) { return (at[0] + 2 * at[1]) % 3 == 0; });
    // The function is called where it may be.
    long calls = 0;
    where(
        mask, out.array,
        [&calls](long x, long y) {
          ++calls;
          return x - y;
        },
        a.array, out.array);
    long chosen = 0;
    for_all<2>(shape, [&](const Indices<2>& at) {
      if ((at[0] + 2 * at[1]) % 3 != 0) return;
      out.model[at] = a.model[at] - out.model[at];
      ++chosen;
    });
    EXPECT_EQ(allreduce(world(), calls), chosen * out.array.layout().placement().copies());
    EXPECT_EQ(count_if(mask, std::identity()), chosen);
    expect_blocks(out.array, out.model);
    out.array.fence();
    where(mask, out.array, 9);
    EXPECT_EQ(count_if(out.array, [](long x) { return x == 9; }), chosen);
    EXPECT_EQ(all_of(mask, std::identity()), chosen == size_of<2>(shape));
    EXPECT_EQ(any_of(mask, std::identity()), chosen > 0);
  }
}

TEST(Where, sections_have_masks_too) {
  armature::distributed_array<int, 1> mask(world(), {20});
  armature::distributed_array<long, 1> a(world(), {30}, {.distribution = {Distribution::cyclic()}});
  Model<1> model({30});
  number(a, model, 100);
  generate(mask, [](const Indices<1>& i) { return static_cast<int>(i[0] % 2); });
  where(
      mask[{Range(0, 10)}], a[{Range(0, 30, 3)}], [](long x) { return -x; }, a[{Range(5, 15)}]);
  Model<1> before = model;
  for (int i = 1; i < 10; i += 2) model[{3 * i}] = -before[{5 + i}];
  expect_blocks(a, model);
  a.fence();
}

TEST(Spread, an_array_is_broadcast_along_a_new_dimension) {
  for (int i = 0; i < conformance::often(30) && !testing::Test::HasFailure(); ++i) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(i));
    Random random(static_cast<std::uint64_t>(i));
    const auto shape = random_shape<3>(random, 6);
    Numbered<3> cube(random, shape, 5000);
    const int d = static_cast<int>(random(0, 2));
    Numbered<2> plane(random, {shape[d == 0 ? 1 : 0], shape[d == 2 ? 1 : 2]}, 0);
    const auto at_plane = [&](const Indices<3>& at) {
      return Indices<2>{at[d == 0 ? 1 : 0], at[d == 2 ? 1 : 2]};
    };
    const auto spread = plane.array.all().spread(d, shape[static_cast<std::size_t>(d)]);
    // One member gets it, before all copy it.
    std::vector<long> seen = spread.get(), expected;
    for_all<3>(shape, [&](const Indices<3>& at) { expected.push_back(plane.model[at_plane(at)]); });
    EXPECT_EQ(seen, expected);
    cube.array.all() = spread;
    for_all<3>(shape, [&](const Indices<3>& at) { cube.model[at] = plane.model[at_plane(at)]; });
    expect_blocks(cube.array, cube.model);
    // As an operand, with its dimensions turned.
    transform(
        cube.array.all().transposed(), [](long x, long y) { return 10 * x + y; },
        std::as_const(cube.array).all().transposed(), spread.transposed());
    for (long& x : cube.model.data) x *= 11;
    expect_blocks(cube.array, cube.model);
    cube.array.fence();
  }
}

TEST(Spread, mistakes_are_named) {
  armature::distributed_array<long, 2> a(world(), {3, 4}, {.name = "a"});
  armature::distributed_array<long, 8> full(world(), {1, 1, 1, 1, 1, 1, 1, 1}, {.name = "full"});
  conformance::expect_error(armature::Errc::bad_argument, {"'a'", "new dimension 3"},
                            [&] { (void)a.all().spread(3, 2); });
  conformance::expect_error(armature::Errc::bad_argument, {"'a'", "-2 times"},
                            [&] { (void)a.all().spread(0, -2); });
  conformance::expect_error(armature::Errc::bad_argument, {"'full'", "eight"},
                            [&] { (void)full.all().spread(0, 2); });
  // One without elements copies none.
  armature::distributed_array<long, 2> none(world(), {0, 4});
  armature::distributed_array<long, 1> row(world(), {4});
  none.all() = row.all().spread(0, 0);
  EXPECT_EQ(row.all().spread(0, 0).get(), std::vector<long>());
  row.fence();
}
