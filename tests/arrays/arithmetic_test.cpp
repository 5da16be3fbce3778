#include <complex>
#include <functional>

#include "cases.hpp"

using namespace arrays;

TEST(Arithmetic, elementwise_operations_agree_with_the_model_whatever_the_distributions) {
  for_seeds(20, [](Random& random) {
    const auto shape = random_shape<3>(random, 6);
    Numbered<3> a(random, shape, 0), b(random, shape, 50), out(random, shape, 0);
    std::ranges::fill(out.array.local_memory(), -9);
    add(out.array, 2, a.array, -3, b.array);
    for (std::size_t i = 0; i < out.model.data.size(); ++i)
      out.model.data[i] = 2 * a.model.data[i] - 3 * b.model.data[i];
    expect_blocks(out.array, out.model);
    // In place, with three operands and with ghosts, which stay.
    scale(out.array, 5);
    transform(
        out.array, [](long x, long y, long z) { return x + y * z; }, out.array, a.array, b.array);
    for (std::size_t i = 0; i < out.model.data.size(); ++i)
      out.model.data[i] = 5 * out.model.data[i] + a.model.data[i] * b.model.data[i];
    expect_blocks(out.array, out.model);
    const std::ptrdiff_t ghosts = out.array.store().block().size - out.array.local().size();
    EXPECT_EQ(std::ranges::count(out.array.local_memory(), -9), ghosts);
    out.array.fence();
    generate(out.array, [](const Indices<3>& i) { return 100 * i[0] + 10 * i[1] + i[2]; });
    for_all<3>(shape, [&](const Indices<3>& i) { out.model[i] = 100 * i[0] + 10 * i[1] + i[2]; });
    expect_blocks(out.array, out.model);
    fill(out.array, 7);
    EXPECT_EQ(sum(out.array), 7 * size_of<3>(shape));
  });
}

TEST(Arithmetic, a_transpose_has_the_dimensions_the_other_way_round) {
  for_seeds(10, [](Random& random) {
    const auto shape = random_shape<3>(random, 6);
    Numbered<3> a(random, shape, 0);
    Numbered<3> out(random, {shape[2], shape[1], shape[0]}, 0);
    transpose(out.array, a.array);
    for_all<3>(shape, [&](const Indices<3>& i) { out.model[{i[2], i[1], i[0]}] = a.model[i]; });
    expect_blocks(out.array, out.model);
    out.array.fence();
  });
}

TEST(Arithmetic, reductions_agree_with_the_model) {
  for_seeds(20, [](Random& random) {
    const auto shape = random_shape<2>(random, 12);
    Numbered<2> a(random, shape, -20), b(random, shape, 3);
    // Values that come several times.
    for_each(a.array, [](long& x) { x = x * 37 % 11; });
    for (long& x : a.model.data) x = x * 37 % 11;
    long total = 0, product = 0;
    for (std::size_t i = 0; i < a.model.data.size(); ++i) {
      total += a.model.data[i];
      product += a.model.data[i] * b.model.data[i];
    }
    EXPECT_EQ(sum(a.array), total);
    EXPECT_EQ(dot(a.array, b.array), product);
    EXPECT_EQ(reduce(a.array, 100, armature::Minimum()),
              std::min(100L, std::ranges::min(a.model.data)));
    const auto least = armature::minimum(a.array), most = armature::maximum(a.array);
    const auto least_at = std::ranges::min_element(a.model.data) - a.model.data.begin();
    const auto most_at = std::ranges::max_element(a.model.data) - a.model.data.begin();
    EXPECT_EQ(least.value, a.model.data[static_cast<std::size_t>(least_at)]);
    EXPECT_EQ(least.at, (Indices<2>{least_at / shape[1], least_at % shape[1]}));
    EXPECT_EQ(most.at, (Indices<2>{most_at / shape[1], most_at % shape[1]}));
  });
}

TEST(Arithmetic, norms) {
  armature::distributed_array<double, 1> line(world(), {3});
  armature::distributed_array<std::complex<double>, 1> plane(world(), {2});
  generate(line, [](const auto& i) { return i[0] == 0 ? 3 : i[0] == 1 ? -4 : 0; });
  generate(plane, [](const auto& i) { return std::complex<double>(3, i[0] == 0 ? 4 : -4); });
  EXPECT_DOUBLE_EQ(norm_1(line), 7);
  EXPECT_DOUBLE_EQ(norm_2(line), 5);
  EXPECT_DOUBLE_EQ(norm_max(line), 4);
  EXPECT_DOUBLE_EQ(norm_1(plane), 10);
  EXPECT_DOUBLE_EQ(norm_2(plane), std::sqrt(50.0));
}

TEST(Arithmetic, reductions_along_a_dimension_agree_with_the_model) {
  for_seeds(20, [](Random& random) {
    const auto shape = random_shape<3>(random, 7);
    const int d = static_cast<int>(random(0, 2));
    Indices<2> rest{shape[d == 0 ? 1 : 0], shape[d == 2 ? 1 : 2]};
    Numbered<3> a(random, shape, 0);
    Numbered<2> out(random, rest, 0);
    reduce_along(out.array, a.array, d);
    std::ranges::fill(out.model.data, 0);
    for_all<3>(shape, [&](const Indices<3>& i) {
      out.model[{i[d == 0 ? 1 : 0], i[d == 2 ? 1 : 2]}] += a.model[i];
    });
    expect_blocks(out.array, out.model);
    out.array.fence();
  });
  armature::distributed_array<long, 2> two(world(), {3, 0}, {.name = "empty"});
  armature::distributed_array<long, 1> one(world(), {3});
  conformance::expect_error(armature::Errc::bad_argument, {"'empty'", "dimension 1"},
                            [&] { reduce_along(one, two, 1); });
  conformance::expect_error(armature::Errc::bad_argument, {"'empty'", "no element"},
                            [&] { (void)armature::minimum(two); });
}
