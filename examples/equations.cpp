// A matrix product and a system of linear equations: the matrices are distributed in unlike ways,
// and the solution goes to a file that NumPy reads.
//
//   equations [FILE.npy]
#include <cstdio>
#include <string>

#include <armature/armature.hpp>
#include <armature/array.hpp>

using armature::Distribution;

int main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "";
  return armature::run(argc, argv, [&](armature::World& world) {
    constexpr std::ptrdiff_t n = 200, sides = 8;
    armature::distributed_array<double, 2> a(world, {n, n}, {.name = "A"});
    armature::distributed_array<double, 2> x(
        world, {n, sides}, {.distribution = {Distribution::cyclic(), Distribution::collapsed()}});
    auto b = decltype(x)::like(x), seen = decltype(x)::like(x);
    generate(a, [](const auto& i) {
      return 1.0 / static_cast<double>(1 + i[0] + i[1]) + (i[0] == i[1] ? 2 : 0);
    });
    generate(x, [](const auto& i) { return static_cast<double>((i[0] * 7 + i[1] * 3) % 10); });
    multiply(b, a, x);
    // A is symmetric and positive definite, so both of these find x again.
    armature::cholesky_factor(a).solve(seen, b);
    add(seen, 1, seen, -1, x);
    const double by_cholesky = norm_max(seen);
    armature::lu_factors(a).solve(seen, b);
    if (!file.empty()) write_npy(file, seen);
    add(seen, 1, seen, -1, x);
    const double by_lu = norm_max(seen);
    const bool is_good = by_cholesky < 1e-10 && by_lu < 1e-10;
    if (world.rank() == 0)
      std::printf("%td equations, %td right-hand sides: %s\n", n, sides,
                  is_good ? "both solutions are good" : "a solution is not good");
    return is_good ? 0 : 1;
  });
}
