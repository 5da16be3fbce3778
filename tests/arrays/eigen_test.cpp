#include <cmath>
#include <limits>

#include "cases.hpp"

using namespace arrays;

namespace {

template <class T>
using SquareMatrix = armature::distributed_array<T, 2>;

template <class T>
SquareMatrix<T> any_matrix(Random& random, std::ptrdiff_t n) {
  const Indices<2> shape{n, n};
  return SquareMatrix<T>(world(), shape,
                         random_options<2>(random, shape, random_kinds<2>(random), true));
}

/// Between -1 and 1, the same for (i, j) and (j, i).
double symmetric_entry(std::ptrdiff_t i, std::ptrdiff_t j, std::uint64_t seed) {
  std::uint64_t x = static_cast<std::uint64_t>(std::min(i, j) * 1000 + std::max(i, j)) +
                    (seed + 1) * 0x9e37'79b9'7f4a'7c15ULL;
  x = (x ^ x >> 30U) * 0xbf58'476d'1ce4'e5b9ULL;
  x = (x ^ x >> 27U) * 0x94d0'49bb'1331'11ebULL;
  return static_cast<double>(x >> 11U) / static_cast<double>(1ULL << 52U) - 1;
}

/// Returns the largest element of left' * right - middle.
template <class T>
T product_difference(const SquareMatrix<T>& left, const SquareMatrix<T>& right,
                     const SquareMatrix<T>& middle) {
  auto product = SquareMatrix<T>(world(), middle.shape());
  multiply(product, left, right, {.transposes_a = true});
  add(product, 1, product, -1, middle);
  return norm_max(product);
}

template <class T>
SquareMatrix<T> diagonal_of(const std::vector<T>& values) {
  const auto n = std::ssize(values);
  SquareMatrix<T> diagonal(world(), {n, n});
  generate(diagonal, [&](const Indices<2>& i) {
    return i[0] == i[1] ? values[static_cast<std::size_t>(i[0])] : T(0);
  });
  return diagonal;
}

/// Values ascend, v' b v = 1 and v' a v = the values.
template <class T>
void expect_solved(const std::vector<T>& values, const SquareMatrix<T>& v, const SquareMatrix<T>& a,
                   const SquareMatrix<T>& b, T limit) {
  EXPECT_TRUE(std::ranges::is_sorted(values));
  auto product = SquareMatrix<T>::like(a);
  multiply(product, b, v);
  EXPECT_LT(product_difference(v, product, diagonal_of(std::vector<T>(values.size(), T(1)))),
            limit);
  multiply(product, a, v);
  EXPECT_LT(product_difference(v, product, diagonal_of(values)), limit);
}

template <class T>
void find_once(std::uint64_t seed) {
  Random random(seed);
  const std::ptrdiff_t n = random(1, 40);
  auto a = any_matrix<T>(random, n), b = any_matrix<T>(random, n), v = any_matrix<T>(random, n);
  generate(
      a, [seed](const Indices<2>& i) { return static_cast<T>(symmetric_entry(i[0], i[1], seed)); });
  const auto unit = diagonal_of(std::vector<T>(static_cast<std::size_t>(n), T(1)));
  const T limit = std::numeric_limits<T>::epsilon() * 1000 * static_cast<T>(n);
  const std::vector<T> values = symmetric_eigenvectors(v, a);
  expect_solved(values, v, a, unit, limit);
  const std::vector<T> alone = armature::symmetric_eigenvalues(a);
  ASSERT_EQ(alone.size(), values.size());
  for (std::size_t k = 0; k < alone.size(); ++k) EXPECT_NEAR(alone[k], values[k], limit);
  // Two matrices, one of which is positive definite.
  generate(b, [seed, n](const Indices<2>& i) {
    return static_cast<T>(symmetric_entry(i[0], i[1], seed + 77) +
                          (i[0] == i[1] ? 2.0 * double(n) : 0.0));
  });
  expect_solved(symmetric_eigenvectors(v, a, b), v, a, b, limit);
  // In place.
  auto copy = any_matrix<T>(random, n);
  copy.all() = a.all();
  expect_solved(symmetric_eigenvectors(copy, copy), copy, a, unit, limit);
}

}  // namespace

TEST(Eigen, vectors_make_the_matrix_diagonal_whatever_the_distributions) {
  for (int i = 0; i < conformance::often(12) && !testing::Test::HasFailure(); ++i) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(i));
    find_once<double>(static_cast<std::uint64_t>(i));
    find_once<float>(static_cast<std::uint64_t>(i));
  }
}

TEST(Eigen, values_that_are_known) {
  // Matrices of second differences, of all ones, of zeros, far from 1, and of a matrix that is
  // diagonal.
  const std::ptrdiff_t n = 21;
  const double pi = std::acos(-1.0);
  SquareMatrix<double> a(world(), {n, n});
  for (const double size : {1.0, 1e-200, 1e200}) {
    generate(a, [&](const Indices<2>& i) {
      return i[0] == i[1] ? 2 * size : std::abs(i[0] - i[1]) == 1 ? -size : 0.0;
    });
    const auto values = armature::symmetric_eigenvalues(a);
    for (std::size_t k = 0; k < values.size(); ++k)
      EXPECT_NEAR(values[k] / size, 2 - 2 * std::cos(pi * double(k + 1) / double(n + 1)), 1e-13);
  }
  fill(a, 1);
  auto values = armature::symmetric_eigenvalues(a);
  EXPECT_NEAR(values.back(), double(n), 1e-12);
  EXPECT_NEAR(values.front(), 0, 1e-13);
  EXPECT_NEAR(values[values.size() - 2], 0, 1e-13);
  fill(a, 0);
  for (const double value : armature::symmetric_eigenvalues(a)) EXPECT_EQ(value, 0);
  for_each_diagonal(a, [](double& x) { x = 3; });
  a.fence();
  if (me() == 0) a(4, 4) = -5;
  a.fence();
  values = armature::symmetric_eigenvalues(a);
  EXPECT_EQ(values[0], -5);
  EXPECT_EQ(values[1], 3);
  EXPECT_EQ(values.back(), 3);
}

TEST(Eigen, mistakes_are_named_by_all) {
  using armature::Errc;
  SquareMatrix<double> a(world(), {6, 6}, {.name = "a"}),
      oblong(world(), {3, 4}, {.name = "oblong"});
  SquareMatrix<double> v(world(), {5, 5}, {.name = "v"}), w(world(), {6, 6});
  conformance::expect_error(Errc::bad_argument, {"'oblong'", "3 x 4", "square"},
                            [&] { (void)armature::symmetric_eigenvalues(oblong); });
  conformance::expect_error(Errc::bad_argument, {"'v'", "5 x 5", "'a'", "6 x 6"},
                            [&] { symmetric_eigenvectors(v, a); });
  conformance::expect_error(Errc::bad_argument, {"'a'", "positive definite"},
                            [&] { symmetric_eigenvectors(w, a, a); });
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    if (me() == 0) a(2, 3) = wrong;
    a.fence();
    conformance::expect_error(Errc::bad_argument, {"'a'", "not finite"},
                              [&] { (void)armature::symmetric_eigenvalues(a); });
    a.fence();
  }
}
