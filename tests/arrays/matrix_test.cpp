#include "cases.hpp"

using namespace arrays;

namespace {

template <class T>
using Matrix = armature::distributed_array<T, 2>;

/// Small integers, so that sums are exact in any order.
template <class T>
T entry(const Indices<2>& i, long seed) {
  return static_cast<T>((i[0] * 7 + i[1] * 13 + seed) % 19 - 9);
}

template <class T>
Matrix<T> random_matrix(Random& random, const Indices<2>& shape, long seed) {
  Matrix<T> matrix(world(), shape, random_options<2>(random, shape, random_kinds<2>(random), true));
  generate(matrix, [seed](const Indices<2>& i) { return entry<T>(i, seed); });
  return matrix;
}

template <class T>
void multiply_once(std::uint64_t seed, std::ptrdiff_t longest) {
  Random random(seed);
  const auto [m, n, k] = random_shape<3>(random, longest);
  const bool a_turned = random(0, 1) == 0, b_turned = random(0, 1) == 0;
  const T alpha = static_cast<T>(random(-2, 2));
  const T beta = static_cast<T>(random(0, 2));
  const auto a = random_matrix<T>(random, a_turned ? Indices<2>{k, m} : Indices<2>{m, k}, 1);
  const auto b = random_matrix<T>(random, b_turned ? Indices<2>{n, k} : Indices<2>{k, n}, 2);
  auto c = random_matrix<T>(random, {m, n}, 3);
  multiply(c, a, b,
           {.alpha = alpha, .beta = beta, .transposes_a = a_turned, .transposes_b = b_turned});
  const auto mine = c.local();
  for_all<2>(mine.extents(), [&](const Indices<2>& local) {
    const auto [i, j] = c.global(local);
    T sum = 0;
    for (std::ptrdiff_t l = 0; l < k; ++l)
      sum += entry<T>(a_turned ? Indices<2>{l, i} : Indices<2>{i, l}, 1) *
             entry<T>(b_turned ? Indices<2>{j, l} : Indices<2>{l, j}, 2);
    EXPECT_EQ(mine[local], alpha * sum + beta * entry<T>({i, j}, 3)) << i << " " << j;
  });
  c.fence();
}

}  // namespace

TEST(Matrix, a_product_agrees_with_the_sum_whatever_the_distributions) {
  for (std::uint64_t seed = 0; seed < 15U && !testing::Test::HasFailure(); ++seed) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(seed));
    multiply_once<double>(seed, 40);
    multiply_once<float>(seed + 100, 40);
    multiply_once<long>(seed + 200, 20);
  }
}

TEST(Matrix, a_product_of_several_panels_and_whole_tiles) {
  Matrix<double> a(world(), {70, 600}), b(world(), {600, 50}), c(world(), {70, 50});
  generate(a, [](const Indices<2>& i) { return entry<double>(i, 1); });
  generate(b, [](const Indices<2>& i) { return entry<double>(i, 2); });
  multiply(c, a, b);
  for (const auto& [i, j] : {Indices<2>{0, 0}, Indices<2>{69, 49}, Indices<2>{31, 17}}) {
    double sum = 0;
    for (std::ptrdiff_t l = 0; l < 600; ++l)
      sum += entry<double>({i, l}, 1) * entry<double>({l, j}, 2);
    EXPECT_EQ(c(i, j), sum);
  }
  c.fence();
}

TEST(Matrix, shapes_that_do_not_fit_are_refused) {
  Matrix<double> a(world(), {3, 4}, {.name = "A"}), b(world(), {5, 6}, {.name = "B"});
  Matrix<double> c(world(), {3, 6}, {.name = "C"});
  conformance::expect_error(armature::Errc::bad_argument, {"'A'", "3 x 4", "'B'", "5 x 6", "'C'"},
                            [&] { multiply(c, a, b); });
}
