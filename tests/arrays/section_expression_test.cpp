// Sections in arithmetic, beside a serial model.
#include "cases.hpp"

using namespace arrays;

TEST(SectionExpression, is_computed_from_the_elements_before_whatever_the_distributions) {
  for_seeds(30, [](Random& random) {
    const Indices<2> shape{random(3, 12), random(3, 12)};
    Numbered<2> a(random, shape, 0), b(random, shape, 1000);
    const Range i(1, shape[0] - 1), j(1, shape[1] - 1);
    a.array[{i, j}] =
        (a.array[{i - 1, j}] + 3 * a.array[{i + 1, j}]) * b.array[{i, j + 1}] - b.array[{i, j}] / 2;
    Model<2> before = a.model;
    for_section<2>({i, j}, [&](const Indices<2>& at) {
      const auto [k, l] = at;
      a.model[at] =
          (before[{k - 1, l}] + 3 * before[{k + 1, l}]) * b.model[{k, l + 1}] - b.model[{k, l}] / 2;
    });
    expect_blocks(a.array, a.model);
    a.array.fence();
  });
}

TEST(SectionExpression, may_have_other_types_and_numbers_on_either_side) {
  armature::distributed_array<double, 1> mean(world(), {8});
  const armature::distributed_array<int, 1> ones(world(), {8});
  fill(const_cast<armature::distributed_array<int, 1>&>(ones), 1);
  mean.all() = (1 + ones.all()) / 4.0;
  EXPECT_EQ(sum(mean), 4);
  mean.all() = 2 - mean.all();
  EXPECT_EQ(sum(mean), 12);
}

TEST(SectionExpression, of_sections_of_other_shapes_is_refused) {
  armature::distributed_array<double, 1> a(world(), {8}, {.name = "a"});
  conformance::expect_error(armature::Errc::bad_argument, {"'a'"},
                            [&] { a.all() = a.all() + a[{Range(0, 4)}]; });
  a.fence();
}
