// A mesh is a grid of 100 rows, cut into bands. A row is a circle; from each vertex an edge leads
// up. The third edge leads down, but out of a band it leads up as well: so a band is a component.
#include "meshes.hpp"

#include <string>

namespace scc {
namespace {

constexpr int meshes_count = 10, side = 100;

// 8 times 34 and 2 times 33 are 338.
int bands_of(int mesh) { return mesh < 8 ? 34 : 33; }

}  // namespace

debian::PackageGraph meshes() {
  debian::PackageGraph graph;
  for (int mesh = 0; mesh < meshes_count; ++mesh) {
    const int bands = bands_of(mesh);
    const auto band = [&](int row) { return row * bands / side; };
    const auto number = [&](int row, int column) {
      return static_cast<std::uint32_t>((mesh * side + row) * side + column % side);
    };
    const auto link = [&](std::uint32_t from, std::uint32_t to) {
      graph.links.push_back({from, to, debian::Fields::required()});
    };
    for (int row = 0; row < side; ++row)
      for (int column = 0; column < side; ++column) {
        const std::uint32_t here = number(row, column);
        graph.names.push_back("v" + std::to_string(here));
        link(here, number(row, column + 1));
        if (row + 1 < side) link(here, number(row + 1, column));
        if (row > 0 && band(row - 1) == band(row)) {
          link(here, number(row - 1, column));
        } else if (row + 1 < side) {
          link(here, number(row + 1, column + 1));
        }
      }
  }
  return graph;
}

}  // namespace scc
