// Heat in a plate (Jacobi). Tiles are elements of an object array, and move. A tile goes on when
// its neighbours' edges of that step have come, in any order. Prints the heat at a place.
#include <cstdio>

#include <armature/armature.hpp>
#include <armature/object_array.hpp>
constexpr int tiles = 5, n = 16, steps = 100;
using Index = std::tuple<int, int>;
using Edge = std::pair<int, std::vector<double>>;  // from the side: above, below, left, right
struct Tile;
using Plate = armature::object_array_ref<Tile, Index>;

struct Tile {
  int row = 0, column = 0, step = 0;
  std::vector<double> u = std::vector<double>((n + 2) * (n + 2));  // with a border
  armature::mailbox<Edge, int> edges{};
  Plate plate{};

  void serialize(auto& archive) { archive(row, column, step, u, edges, plate); }
  double& cell(int side, int k, int depth) {
    const int across = side % 2 == 0 ? depth : n + 1 - depth;
    return u[side < 2 ? across * (n + 2) + k : k * (n + 2) + across];
  }
  void begin(Plate all) {
    plate = all;
    for (int k = 1; row == 0 && k <= n; ++k) cell(0, k, 0) = 1;  // warm
    begin_step();
  }
  void begin_step() {
    for (int side = 0; side < 4; ++side) {
      const int i = row + (side == 1) - (side == 0), j = column + (side == 3) - (side == 2);
      if (i < 0 || j < 0 || i >= tiles || j >= tiles) continue;
      Edge edge(side ^ 1, n);
      for (int k = 1; k <= n; ++k) edge.second[k - 1] = cell(side, k, 1);
      plate[{i, j}].put(&Tile::edges, step, edge);
    }
    if (step % 10 == row) plate[{row, column}].move_to((step + column) % plate.team().size());
    const int inner = (row > 0) + (row < tiles - 1) + (column > 0) + (column < tiles - 1);
    when(this, &Tile::relax, edges(step, inner));
  }
  void relax(const std::vector<Edge>& all) {
    for (const auto& [side, edge] : all)
      for (int k = 1; k <= n; ++k) cell(side, k, 0) = edge[k - 1];
    for (auto old = u; int k : armature::all_indices(n * n)) {
      const int i = (k / n + 1) * (n + 2) + k % n + 1;
      u[i] = (old[i - n - 2] + old[i + n + 2] + old[i - 1] + old[i + 1]) / 4;
    }
    if (++step < steps) begin_step();
  }
  double middle() { return cell(0, n / 2, n / 2); }
};
int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    const auto make = [](const Index& at) { return Tile{std::get<0>(at), std::get<1>(at)}; };
    armature::object_array<Tile, Index> plate(world, armature::all_indices(tiles, tiles), make);
    if (world.rank() == 0) plate.broadcast(&Tile::begin, plate.ref());
    plate.fence();
    if (world.rank() == 0) std::printf("heat %.9f\n", plate[{1, 2}].sync(&Tile::middle));
  });
}
