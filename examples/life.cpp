// The game of life on a torus: periodic ghosts, and sections that rank 0 puts and gets.
#include <cstdio>
#include <vector>

#include <armature/armature.hpp>
#include <armature/array.hpp>

namespace {

using Board = armature::distributed_array<int, 2>;
constexpr std::ptrdiff_t size = 16;

/// Each member plays on its own cells.
void play(Board& cells, armature::ghost_exchange<2>& ghosts) {
  ghosts.run();
  const auto now = cells.local();
  std::vector<int> next;
  for (int i = 0; i < now.extent(0); ++i)
    for (int j = 0; j < now.extent(1); ++j) {
      int neighbours = -now(i, j);
      for (int di = -1; di <= 1; ++di)
        for (int dj = -1; dj <= 1; ++dj) neighbours += now(i + di, j + dj);
      next.push_back(neighbours == 3 || (neighbours == 2 && now(i, j) == 1) ? 1 : 0);
    }
  auto cell = next.begin();
  for (int i = 0; i < now.extent(0); ++i)
    for (int j = 0; j < now.extent(1); ++j) now(i, j) = *cell++;
}

void print(const std::vector<int>& board) {
  for (std::size_t i = 0; i < board.size(); ++i)
    std::printf("%c%s", board[i] == 1 ? '#' : '.', (i + 1) % size == 0 ? "\n" : "");
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    Board cells(world, {size, size}, {.name = "cells", .ghosts = {1, 1}});
    armature::ghost_exchange ghosts(cells, {.periodic = {true, true}});
    const std::vector<int> glider{0, 1, 0, 0, 0, 1, 1, 1, 1};
    // Near a corner, so that it goes over the edges.
    const auto place = cells.periodic({armature::Range::of(-2, 3), armature::Range::of(-1, 3)});
    if (world.rank() == 0) place.put(glider);
    cells.fence();
    const std::vector<int> begin = cells.all().get();
    // In four generations it goes one cell down and one to the right.
    for (int generation = 0; generation < 4 * size; ++generation) play(cells, ghosts);
    cells.fence();
    const std::vector<int> end = cells.all().get();
    const int alive = sum(cells);
    if (world.rank() == 0) {
      print(end);
      std::printf("%d cells live: the glider %s\n", alive,
                  end == begin ? "is back where it began" : "has got lost");
    }
    return end == begin ? 0 : 1;
  });
}
