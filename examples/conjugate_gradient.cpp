// Conjugate gradients: the temperature of a square plate with sources, whose edge is kept at 0. The
// matrix is never there: what it does to a vector is a sum of neighbours, some of them ghosts.
#include <cstdio>
#include <utility>

#include <armature/armature.hpp>
#include <armature/array.hpp>

namespace {

constexpr std::ptrdiff_t n = 64;
using Plate = armature::distributed_array<double, 2>;

/// out = A p. Ghosts outside of the plate stay 0.
void apply(Plate& out, const Plate& p, armature::ghost_exchange<2>& ghosts) {
  ghosts.run();
  const auto from = p.local();
  const auto to = out.local();
  for (std::ptrdiff_t i = 0; i < to.extent(0); ++i)
    for (std::ptrdiff_t j = 0; j < to.extent(1); ++j)
      to(i, j) = 4 * from(i, j) - from(i - 1, j) - from(i + 1, j) - from(i, j - 1) - from(i, j + 1);
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    Plate x(world, {n, n}), r = Plate::like(x), q = Plate::like(x);
    Plate p(world, {n, n}, {.name = "direction", .ghosts = {1, 1}});
    armature::ghost_exchange ghosts(p, {.parts = armature::GhostParts::faces});
    // Two sources, one of them cold. x is 0, so they are the first residue.
    generate(r, [](const auto& i) {
      return i[0] == n / 4 && i[1] == n / 4 ? 1.0 : i[0] == n / 2 && i[1] == 3 * n / 4 ? -0.5 : 0.0;
    });
    p.all() = r.all();
    double rr = dot(r, r);
    const double first = rr;
    int steps = 0;
    for (; rr > 1e-20 * first && steps < 1000; ++steps) {
      apply(q, p, ghosts);
      const double alpha = rr / dot(p, q);
      add(x, 1, x, alpha, p);
      add(r, 1, r, -alpha, q);
      const double before = std::exchange(rr, dot(r, r));
      add(p, 1, r, rr / before, p);
    }
    const auto hottest = maximum(x);
    if (world.rank() == 0)
      std::printf("%s after %d steps: hottest at (%td, %td) with %.6f\n",
                  steps < 1000 ? "solved" : "not solved", steps, hottest.at[0], hottest.at[1],
                  hottest.value);
    return steps < 1000 ? 0 : 1;
  });
}
