// Finds k groups of points in the plane (Lloyd's k-means): each point belongs to the nearest
// centre, and each centre moves to the mean of its points, until none moves.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdio>
#include <random>
#include <utility>

#include <armature/algorithm.hpp>
#include <armature/armature.hpp>
#include <armature/container.hpp>

namespace {
constexpr std::size_t k = 4, count = 20'000;
using Point = std::complex<double>;
using Centres = std::array<Point, k>;
struct Sums {
  Centres of{};
  std::array<double, k> points{};
};

Point make(std::size_t i) {
  std::mt19937_64 random(i);
  std::normal_distribution<double> near(0, 1);
  return {(i % 2 == 0 ? -5 : 5) + near(random), (i / 2 % 2 == 0 ? -5 : 5) + near(random)};
}
std::size_t nearest(const Centres& centres, Point p) {
  const auto distance = [p](Point centre) { return std::norm(centre - p); };
  return std::size_t(std::ranges::min_element(centres, {}, distance) - centres.begin());
}
Sums added(Sums a, const Sums& b) {
  for (std::size_t c = 0; c < k; ++c) a.of[c] += b.of[c], a.points[c] += b.points[c];
  return a;
}
}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    armature::distributed_vector<Point> points(world, count);
    armature::generate(points, make);
    Centres centres{Point(-1, -1), Point(1, -1), Point(-1, 1), Point(1, 1)};
    for (double moved = 1; moved > 1e-6;) {
      const Sums all = armature::transform_reduce(points, Sums(), added, [&](Point p) {
        Sums one;
        one.of[nearest(centres, p)] = p;
        one.points[nearest(centres, p)] = 1;
        return one;
      });
      moved = 0;
      for (std::size_t c = 0; c < k; ++c) {
        const Point mean = all.of[c] / all.points[c];
        moved = std::max(moved, std::abs(mean - std::exchange(centres[c], mean)));
      }
    }
    for (const Point c : centres)
      armature::once(world, [c] { std::printf("centre at %.1f, %.1f\n", c.real(), c.imag()); });
  });
}
