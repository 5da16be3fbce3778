// A product of matrices that are distributed in unlike ways, and how fast it is.
//
//   matrix_product [N]
#include <cstdio>
#include <cstdlib>

#include <armature/armature.hpp>
#include <armature/array.hpp>
#include <armature/clock.hpp>

using armature::Distribution;
using Matrix = armature::distributed_array<double, 2>;

int main(int argc, char** argv) {
  const std::ptrdiff_t n = argc > 1 ? std::atol(argv[1]) : 600;
  return armature::run(argc, argv, [n](armature::World& world) {
    const auto whole = Distribution::collapsed();
    Matrix a(world, {n, n}, {.name = "a"});  // blocks, as square as can be
    Matrix b(world, {n, n}, {.name = "b", .distribution = {whole, Distribution::cyclic(8)}});
    Matrix c(world, {n, n}, {.name = "c", .distribution = {Distribution::block(), whole}});
    generate(a, [](const auto& i) { return static_cast<double>((i[0] + 2 * i[1]) % 5); });
    generate(b, [](const auto& i) { return i[0] <= i[1] ? 1.0 : 0.0; });
    const auto begin = armature::clock_ns();
    multiply(c, a, b);
    const double seconds = static_cast<double>(armature::clock_ns() - begin) * 1e-9;
    // Column j of c is the sum of a's columns up to j, and that of a times b' the sum from j on.
    Matrix rest(world, {n, n});
    multiply(rest, a, b, {.transposes_b = true});
    add(rest, 1, rest, 1, c);
    add(rest, 1, rest, -1, a);
    armature::distributed_array<double, 1> sums(world, {n});
    reduce_along(sums, a, 1);
    Matrix expected(world, {n, n});
    expected.all() = sums.all().spread(1, n);
    add(rest, 1, rest, -1, expected);
    const double wrong = norm_max(rest);
    if (world.rank() == 0) {
      std::printf("%td x %td: largest error %g\n", n, n, wrong);
      std::fprintf(stderr, "%.3g Gflop/s\n", 2e-9 * static_cast<double>(n * n * n) / seconds);
    }
    return wrong < 1e-9 ? 0 : 1;
  });
}
