#include "cases.hpp"

using namespace arrays;

namespace {

using Matrix = armature::distributed_array<double, 2>;

/// Small integers, so that sums are exact in any order.
double entry(const Indices<2>& i, long seed) {
  return static_cast<double>((i[0] * 7 + i[1] * 13 + seed) % 19 - 9);
}

Matrix random_matrix(Random& random, const Indices<2>& shape, long seed) {
  Matrix matrix(world(), shape, random_options<2>(random, shape, random_kinds<2>(random), true));
  generate(matrix, [seed](const Indices<2>& i) { return entry(i, seed); });
  return matrix;
}

void multiply_once(std::uint64_t seed, std::ptrdiff_t longest) {
  Random random(seed);
  const auto [m, n, k] = random_shape<3>(random, longest);
  const bool a_turned = random(0, 1) == 0, b_turned = random(0, 1) == 0;
  const double alpha = static_cast<double>(random(-2, 2));
  const double beta = static_cast<double>(random(0, 2));
  const Matrix a = random_matrix(random, a_turned ? Indices<2>{k, m} : Indices<2>{m, k}, 1);
  const Matrix b = random_matrix(random, b_turned ? Indices<2>{n, k} : Indices<2>{k, n}, 2);
  Matrix c = random_matrix(random, {m, n}, 3);
  multiply(c, a, b,
           {.alpha = alpha, .beta = beta, .transposes_a = a_turned, .transposes_b = b_turned});
  const auto mine = c.local();
  for_all<2>(mine.extents(), [&](const Indices<2>& local) {
    const auto [i, j] = c.global(local);
    double sum = 0;
    for (std::ptrdiff_t l = 0; l < k; ++l)
      sum += entry(a_turned ? Indices<2>{l, i} : Indices<2>{i, l}, 1) *
             entry(b_turned ? Indices<2>{j, l} : Indices<2>{l, j}, 2);
    EXPECT_EQ(mine[local], alpha * sum + beta * entry({i, j}, 3)) << i << " " << j;
  });
  c.fence();
}

}  // namespace

TEST(Matrix, a_product_agrees_with_the_sum_whatever_the_distributions) {
  for (std::uint64_t seed = 0; seed < 15U && !testing::Test::HasFailure(); ++seed) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(seed));
    multiply_once(seed, 40);
  }
}

TEST(Matrix, a_product_of_several_panels_and_whole_tiles) {
  Matrix a(world(), {70, 600}), b(world(), {600, 50}), c(world(), {70, 50});
  generate(a, [](const Indices<2>& i) { return entry(i, 1); });
  generate(b, [](const Indices<2>& i) { return entry(i, 2); });
  multiply(c, a, b);
  for (const auto& [i, j] : {Indices<2>{0, 0}, Indices<2>{69, 49}, Indices<2>{31, 17}}) {
    double sum = 0;
    for (std::ptrdiff_t l = 0; l < 600; ++l) sum += entry({i, l}, 1) * entry({l, j}, 2);
    EXPECT_EQ(c(i, j), sum);
  }
  c.fence();
}

TEST(Matrix, shapes_that_do_not_fit_are_refused) {
  Matrix a(world(), {3, 4}, {.name = "A"}), b(world(), {5, 6}, {.name = "B"});
  Matrix c(world(), {3, 6}, {.name = "C"});
  conformance::expect_error(armature::Errc::bad_argument, {"'A'", "3 x 4", "'B'", "5 x 6", "'C'"},
                            [&] { multiply(c, a, b); });
}
