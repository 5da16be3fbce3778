// Aligns two random sequences (Smith and Waterman). Each tile of the matrix is a task. The loop
// nest spawns them as if it computed them; what they read makes a wavefront. Prints the best score.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <armature/armature.hpp>
#include <armature/task.hpp>

namespace {
constexpr std::size_t size = 100;  // rows and columns of a tile
struct Tile {
  std::vector<int> bottom = std::vector<int>(size), right = bottom;  // its last row and column
  int best = 0;
  void serialize(auto& archive) { archive(bottom, right, best); }
};
std::string letters(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::string all(count, ' ');
  for (char& c : all) c = "ACGT"[random() % 4];
  return all;
}
// 2 for a match, -1 for a difference or a gap.
void compute(const char* a, const char* b, const Tile& corner, const Tile& above, const Tile& left,
             Tile& tile) {
  std::vector<int>& row = tile.bottom = above.bottom;
  tile.best = std::max({corner.best, above.best, left.best});
  for (std::size_t i = 0; i < size; ++i) {
    int diagonal = i == 0 ? corner.bottom.back() : left.right[i - 1], before = left.right[i];
    for (std::size_t j = 0; j < size; ++j) {
      before = std::max({0, diagonal + (a[i] == b[j] ? 2 : -1), row[j] - 1, before - 1});
      diagonal = std::exchange(row[j], before);
      tile.best = std::max(tile.best, before);
    }
    tile.right[i] = before;
  }
}
}  // namespace
int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](armature::World& world) {
    const std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20;
    const std::string a = letters(n * size, 1), b = letters(n * size, 2);
    const auto owner = [&](std::size_t i, std::size_t) { return int(i) % world.size(); };
    armature::task_graph graph(world);
    armature::task_data<Tile> t(graph, n + 1, n + 1, owner);
    for (std::size_t i = 1; i <= n; ++i)
      for (std::size_t j = 1; j <= n; ++j) {
        const auto task = std::bind_front(compute, &a[(i - 1) * size], &b[(j - 1) * size]);
        graph.spawn(task, reads(t(i - 1, j - 1)), reads(t(i - 1, j)), reads(t(i, j - 1)),
                    writes(t(i, j)));
      }
    const auto best = graph.spawn(&Tile::best, reads(t(n, n)));
    if (world.rank() == 0) std::printf("best score %d\n", best.get());
  });
}
