// A stencil of puts on virtual ranks that begin anywhere: the strategy `communication` moves them
// by the bytes that they have put. Beside it stands the best partition of the whole graph, which
// Scotch makes in a program of its own (bench/scotch/).
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <armature/armature.hpp>
#include <armature/locality.hpp>
#include <armature/rebalance.hpp>
#include <armature/virtual.hpp>

#include "bench/hotspot.hpp"
#include "bench/programs.hpp"
#include "bench/rows.hpp"

namespace armature::bench {
namespace {

/// A grid of ranks. Those beside each other put long rows, those above each other short columns.
class Grid {
 public:
  static constexpr std::size_t row_bytes = 4096, column_bytes = 1024;

  explicit Grid(const World& world) : ranks_(world.size()), side_(1) {
    while ((side_ + 1) * (side_ + 1) <= ranks_) ++side_;
  }

  struct Neighbour {
    int rank = 0;
    std::size_t bytes = 0;
  };
  [[nodiscard]] std::vector<Neighbour> of(int rank) const {
    // Ranks lie on the grid in such an order that hardly one begins beside its neighbours.
    const int cell = rank * step_ % ranks_, x = cell % side_, y = cell / side_;
    std::vector<Neighbour> all;
    const auto add = [&](int dx, int dy, std::size_t bytes) {
      if (x + dx < 0 || x + dx >= side_ || y + dy < 0 || y + dy >= ranks_ / side_) return;
      const int other = (y + dy) * side_ + x + dx;
      for (int r = 0; r < ranks_; ++r)
        if (r * step_ % ranks_ == other) all.push_back({r, bytes});
    };
    add(-1, 0, row_bytes);
    add(1, 0, row_bytes);
    add(0, -1, column_bytes);
    add(0, 1, column_bytes);
    return all;
  }
  /// Bytes of a step between nodes, as ranks are now.
  [[nodiscard]] double between_nodes() const {
    std::size_t bytes = 0;
    for (int rank = 0; rank < ranks_; ++rank)
      for (const Neighbour& one : of(rank))
        if (!same_node(rank, one.rank)) bytes += one.bytes;
    return static_cast<double>(bytes);
  }

 private:
  static constexpr int step_ = 27;  // has no divisor in common with a power of two
  const int ranks_;
  int side_;
};

/// Bytes of a step between nodes by Scotch's partition. Nothing where there is no such program.
std::optional<double> best_partition(const Grid& grid, int ranks) {
  const auto program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "bench" / "scotch_partition";
  if (access(program.c_str(), X_OK) != 0) return std::nullopt;
  std::vector<std::string> command{program.string(), std::to_string(domain_count(Domain::smp)),
                                   std::to_string(ranks)};
  for (int rank = 0; rank < ranks; ++rank)
    for (const Grid::Neighbour& one : grid.of(rank))
      if (one.rank > rank)  // both put as much
        command.push_back(fmt::format("{},{},{}", rank, one.rank, 2 * one.bytes));
  return std::strtod(output_of(command).c_str(), nullptr);
}

}  // namespace

void stencil_row(World& world, const Settings& settings) {
  const Grid grid(world);
  const auto neighbours = grid.of(world.rank());
  auto halo = world.allocate<std::byte>(4 * Grid::row_bytes);
  const std::vector<std::byte> edge(Grid::row_bytes);
  std::optional<Pinned> stays;
  if (world.rank() == 0) stays.emplace();  // its file is there
  const auto perform = [&] {
    for (int step = 0; step < 20; ++step) {
      for (std::size_t side = 0; side < neighbours.size(); ++side)
        put(halo.on(neighbours[side].rank) + side * Grid::row_bytes, edge.data(),
            neighbours[side].bytes);
      HotSpot::compute(10);
      world.barrier();
    }
  };
  (void)rebalance(world, {.strategy = balance::none});
  const double before = grid.between_nodes();
  perform();
  (void)rebalance(world, {.strategy = balance::communication});
  const double after = grid.between_nodes();
  perform();
  world.barrier();
  if (world.rank() != 0) return;
  const auto best = best_partition(grid, world.size());
  settings.report({.op = "stencil.before", .bytes = 0, .ns = before, .limit_ns = best});
  settings.report({.op = "stencil.after", .bytes = 0, .ns = after, .limit_ns = best});
}

}  // namespace armature::bench
