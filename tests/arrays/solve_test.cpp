#include <cmath>

#include "cases.hpp"

using namespace arrays;

namespace {

template <class T>
using Matrix = armature::distributed_array<T, 2>;

/// Between -1 and 1, without a pattern.
template <class T>
T entry(std::ptrdiff_t i, std::ptrdiff_t j, std::uint64_t seed) {
  std::uint64_t x = (static_cast<std::uint64_t>(i) << 32U) + static_cast<std::uint64_t>(j) +
                    seed * 0x9e37'79b9'7f4a'7c15ULL;
  x = (x ^ x >> 30U) * 0xbf58'476d'1ce4'e5b9ULL;
  x = (x ^ x >> 27U) * 0x94d0'49bb'1331'11ebULL;
  return static_cast<T>(static_cast<double>((x ^ x >> 31U) >> 11U) / (1ULL << 52U) - 1);
}

template <class T>
Matrix<T> random_matrix(Random& random, const Indices<2>& shape) {
  return Matrix<T>(world(), shape, random_options<2>(random, shape, random_kinds<2>(random), true));
}

/// Returns the largest difference of a * x and b, beside the elements' own size.
template <class T>
double residue(const Matrix<T>& a, const Matrix<T>& x, const Matrix<T>& b) {
  Matrix<T> product(world(), b.shape());
  multiply(product, a, x);
  add(product, 1, product, -1, b);
  return norm_max(product) /
         (1 + static_cast<double>(norm_max(x)) * static_cast<double>(a.extent(0)));
}

template <class T>
void solve_once(std::uint64_t seed) {
  Random random(seed);
  const std::ptrdiff_t n = random(1, 40), sides = random(1, 7);
  auto a = random_matrix<T>(random, {n, n});
  auto b = random_matrix<T>(random, {n, sides}), x = random_matrix<T>(random, {n, sides});
  generate(a, [seed](const Indices<2>& i) { return entry<T>(i[0], i[1], seed); });
  generate(b, [seed](const Indices<2>& i) { return entry<T>(i[0], i[1], seed + 1000); });
  const double limit = std::is_same_v<T, float> ? 1e-3 : 1e-10;
  const armature::solve_options options{.tile = random(1, 12)};
  const armature::lu_factors<T> lu(a, options);
  lu.solve(x, b);
  EXPECT_LT(residue(a, x, b), limit);
  // With its transpose it is positive definite.
  Matrix<T> square(world(), {n, n});
  multiply(square, a, a, {.transposes_b = true});
  for_each_diagonal(square, [](T& value) { value += 1; });
  const armature::cholesky_factor<T> cholesky(square, options);
  cholesky.solve(x, b);
  EXPECT_LT(residue(square, x, b), limit);
  // In place, and one right-hand side.
  armature::distributed_array<T, 1> line(world(), {n});
  line.all() = b[{Range(), 0}];
  cholesky.solve(line, line);
  for (std::ptrdiff_t i = 0; i < n; ++i) EXPECT_NEAR(line(i), std::as_const(x)(i, 0), limit);
  x.fence();
}

}  // namespace

TEST(Solve, solutions_solve_the_equations_whatever_the_distributions) {
  for (int i = 0; i < conformance::often(25) && !testing::Test::HasFailure(); ++i) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(i));
    solve_once<double>(static_cast<std::uint64_t>(i));
    solve_once<float>(static_cast<std::uint64_t>(i));
  }
}

TEST(Solve, rows_are_exchanged_and_factors_are_those_of_the_matrix) {
  constexpr std::ptrdiff_t n = 50;
  Matrix<double> a(world(), {n, n}, {.name = "a"}), lower(world(), {n, n}), upper(world(), {n, n});
  generate(a, [](const Indices<2>& i) { return i[0] == i[1] ? 0 : entry<double>(i[0], i[1], 5); });
  const armature::lu_factors<double> lu(a, {.tile = 9});
  const auto& factors = lu.factors();
  transform(
      lower.all(), [](double x) { return x; }, factors.all());
  upper.all() = factors.all();
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    if (me() == 0) {
      lower[{i, Range(i, n)}].put(std::vector<double>(static_cast<std::size_t>(n - i)));
      lower(i, i) = 1;
      upper[{i, Range(0, i)}].put(std::vector<double>(static_cast<std::size_t>(i)));
    }
  }
  Matrix<double> product(world(), {n, n});
  multiply(product, lower, upper);
  // Multipliers are not larger than 1, so rows have been exchanged.
  EXPECT_LE(norm_max(lower), 1);
  std::vector<double> rows = a.all().get(), expected;
  for (std::size_t k = 0; k < n; ++k) {
    const auto with = static_cast<std::size_t>(lu.pivots()[k]);
    if (with != k)
      std::swap_ranges(rows.begin() + static_cast<long>(k * n),
                       rows.begin() + static_cast<long>((k + 1) * n),
                       rows.begin() + static_cast<long>(with * n));
  }
  const std::vector<double> seen = product.all().get();
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_NEAR(seen[i], rows[i], 1e-12);
  product.fence();
}

TEST(Solve, determinants) {
  Matrix<double> a(world(), {3, 3});
  generate(a, [](const Indices<2>& i) {
    constexpr double values[3][3] = {{0, 2, 1}, {3, 0, 4}, {1, 5, 0}};
    return values[i[0]][i[1]];
  });
  EXPECT_NEAR(armature::lu_factors<double>(a, {.tile = 2}).determinant(), 23, 1e-12);
  EXPECT_NEAR(armature::lu_factors<double>(a, {.tile = 1}).determinant(), 23, 1e-12);
}

TEST(Solve, mistakes_are_named_by_all) {
  using armature::Errc;
  Matrix<double> a(world(), {6, 6}, {.name = "a"}), b(world(), {5, 2}, {.name = "b"});
  Matrix<double> oblong(world(), {3, 4}, {.name = "oblong"});
  generate(a, [](const Indices<2>& i) { return i[0] == i[1] && i[0] != 4 ? 2.0 : 0.0; });
  conformance::expect_error(Errc::bad_argument, {"'a'", "singular", "column 4"},
                            [&] { armature::lu_factors<double>(a, {.tile = 3}); });
  conformance::expect_error(Errc::bad_argument, {"'a'", "positive definite", "column 4"},
                            [&] { armature::cholesky_factor<double>(a, {.tile = 3}); });
  conformance::expect_error(Errc::bad_argument, {"'oblong'", "3 x 4", "square"},
                            [&] { armature::lu_factors<double>(oblong, {}); });
  conformance::expect_error(Errc::bad_argument, {"'a'", "tiles of -1"},
                            [&] { armature::lu_factors<double>(a, {.tile = -1}); });
  for_each_diagonal(a, [](double& x) { x = 2; });
  conformance::expect_error(Errc::bad_argument, {"'b'", "5 x 2", "'a'", "6 rows"},
                            [&] { armature::lu_factors<double>(a).solve(b, b); });
}

TEST(Solve, what_could_not_be_factored_leaves_no_memory_behind) {
  Matrix<double> zeros(world(), {64, 64}, {.name = "zeros"});
  Matrix<double> oblong(world(), {64, 60}), sides(world(), {60, 2});
  const auto place = [] {
    auto piece = world().allocate<double>(64 * 64);
    const double* const address = piece.on(me()).address();
    world().free(piece);
    return address;
  };
  const double* const before = place();
  const auto fails = [](auto what) { EXPECT_THROW(what(), armature::Error); };
  for (int i = 0; i < 20; ++i) {
    fails([&] { armature::lu_factors<double>(zeros, {.tile = 7}); });
    fails([&] { armature::cholesky_factor<double>(zeros, {}); });
    fails([&] { armature::lu_factors<double>(oblong, {}); });
  }
  for_each_diagonal(zeros, [](double& x) { x = 1; });
  {
    const armature::lu_factors<double> lu(zeros);
    for (int i = 0; i < 20; ++i) fails([&] { lu.solve(sides, sides); });
  }
  EXPECT_EQ(place(), before);
}
