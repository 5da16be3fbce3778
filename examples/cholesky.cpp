// Factors a symmetric matrix, A = L L', by tiles (Cholesky). The loop nest of the serial program
// spawns a task for each operation on tiles. Prints whether L L' is A.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <armature/armature.hpp>
#include <armature/task.hpp>

namespace {
constexpr std::size_t n = 64;  // rows and columns of a tile
using Tile = std::vector<double>;
void fill(Tile& a, std::size_t row, std::size_t column) {
  a.resize(n * n);
  for (std::size_t i = 0; i < n * n; ++i)
    a[i] = row + i / n == column + i % n ? 1e4 : std::cos(double(row + i / n + column + i % n));
}
/// a = a / l', or the factor of a itself.
void solve(const Tile& l, Tile& a) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double& x = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) x -= a[i * n + k] * l[j * n + k];
      x = &l != &a || j < i ? x / l[j * n + j] : j == i ? std::sqrt(x) : 0;
    }
}
/// c = c - a b'.
void subtract(const Tile& a, const Tile& b, Tile& c) {
  for (std::size_t i = 0; i < n * n; ++i)
    for (std::size_t k = 0; k < n; ++k) c[i] -= a[i / n * n + k] * b[i % n * n + k];
}
}  // namespace
int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](armature::World& world) {
    const std::size_t m = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 8;
    armature::task_graph graph(world);
    const auto owner = [&](std::size_t i, std::size_t) { return int(i) % world.size(); };
    armature::task_data<Tile> a(graph, m, m, owner), rest(graph, m, m, owner);
    for (std::size_t i = 0; i < m * m; ++i)
      for (auto* to : {&a, &rest})
        graph.spawn([=](Tile& tile) { fill(tile, i / m * n, i % m * n); }, writes((*to)(i)));
    for (std::size_t k = 0; k < m; ++k) {
      graph.spawn([](Tile& x) { solve(x, x); }, writes(a(k, k)));
      for (std::size_t i = k + 1; i < m; ++i) graph.spawn(solve, reads(a(k, k)), writes(a(i, k)));
      for (std::size_t i = k; i < m; ++i)
        for (std::size_t j = k; j <= i; ++j) {
          graph.spawn(subtract, reads(a(i, k)), reads(a(j, k)), writes(rest(i, j)));
          if (j > k) graph.spawn(subtract, reads(a(i, k)), reads(a(j, k)), writes(a(i, j)));
        }
    }
    graph.wait();
    double mine = 0;  // of what is left, squared
    for (std::size_t i = 0; i < m * m; ++i)
      if (rest.owner(i) == world.rank() && i % m <= i / m)
        for (const double x : rest.read(i)) mine += x * x;
    const double all = allreduce(world, mine);
    if (world.rank() == 0) std::printf("L L' is %s\n", all < 1e-12 ? "A" : "not A");
  });
}
