#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <armature/array.hpp>

#include "bench/rows.hpp"

// Distributed arrays beside the same by hand: loops through pointers into the other rank's memory,
// and matrix products without a transfer. peers/arrays.c measures the same copies with MPI,
// peers/global_arrays.c the rest.

namespace armature::bench {

namespace {

using Matrix = distributed_array<double, 2>;

/// A matrix of whole rows, and one of whole columns.
class Remapped {
 public:
  Remapped(World& world, std::ptrdiff_t n)
      : world_(world),
        n_(n),
        width_(n / world.size()),
        rows_(world, {n, n}, {.distribution = {Distribution::block(), Distribution::collapsed()}}),
        columns_(world, {n, n},
                 {.distribution = {Distribution::collapsed(), Distribution::block()}}) {
    fill(rows_, 1);
    for (int rank = 0; rank < world.size(); ++rank)
      blocks_.push_back(columns_.pointer({0, rank * width_}).direct());
  }

  void by_assignment() { columns_.all() = rows_.all(); }
  void by_transposing() { columns_.all() = rows_.all().transposed(); }
  /// The pieces of my rows go to the ranks that have their columns.
  void by_hand() {
    world_.barrier();
    const std::span<const double> mine = std::as_const(rows_).local_memory();
    const std::ptrdiff_t first = world_.rank() * width_;
    for (std::size_t to = 0; to < blocks_.size(); ++to)
      for (std::ptrdiff_t i = 0; i < width_; ++i)
        std::memcpy(blocks_[to] + (first + i) * width_,
                    mine.data() + i * n_ + static_cast<std::ptrdiff_t>(to) * width_,
                    static_cast<std::size_t>(width_) * sizeof(double));
    world_.barrier();
  }

 private:
  World& world_;
  std::ptrdiff_t n_, width_;
  Matrix rows_, columns_;
  std::vector<double*> blocks_;
};

/// A block of 128 x 128 x 128 for each of two ranks, one after the other in the first dimension.
class Faces {
 public:
  explicit Faces(World& world)
      : world_(world),
        cube_(world, {2 * n, n, n}, {.grid = {2, 1, 1}, .ghosts = {1, 1, 1}}),
        ghosts_(cube_, {.periodic = {true, true, true}, .parts = GhostParts::faces}),
        mine_(cube_.local_memory().data()),
        other_(cube_.pointer({(1 - world.rank()) * n, 0, 0}).direct() - at(1, 1, 1)) {
    fill(cube_, 1);
  }
  void by_exchange() { ghosts_.run(); }
  void by_hand() {
    world_.barrier();
    for (std::ptrdiff_t j = 1; j <= n; ++j) {
      std::memcpy(mine_ + at(0, j, 1), other_ + at(n, j, 1), n * sizeof(double));
      std::memcpy(mine_ + at(n + 1, j, 1), other_ + at(1, j, 1), n * sizeof(double));
    }
    for (std::ptrdiff_t i = 1; i <= n; ++i) {
      std::memcpy(mine_ + at(i, 0, 1), mine_ + at(i, n, 1), n * sizeof(double));
      std::memcpy(mine_ + at(i, n + 1, 1), mine_ + at(i, 1, 1), n * sizeof(double));
      for (std::ptrdiff_t j = 1; j <= n; ++j) {
        mine_[at(i, j, 0)] = mine_[at(i, j, n)];
        mine_[at(i, j, n + 1)] = mine_[at(i, j, 1)];
      }
    }
    world_.barrier();
  }

 private:
  static constexpr std::ptrdiff_t n = 128, width = n + 2;
  static std::ptrdiff_t at(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
    return (i * width + j) * width + k;
  }

  World& world_;
  distributed_array<double, 3> cube_;
  ghost_exchange<3> ghosts_;
  double* mine_;
  double* other_;
};

void remap_rows(Stage& stage, const std::string& tail) {
  if (!stage.has("remap" + tail) && !stage.has("transpose" + tail)) return;
  for (std::ptrdiff_t n = 128; n <= 4096; n *= 2) {
    Remapped matrices(stage.world(), n);
    const std::size_t bytes = static_cast<std::size_t>(n * n) * sizeof(double);
    stage.together(
        {"remap" + tail, bytes}, [&] { matrices.by_assignment(); }, [&] { matrices.by_hand(); });
    stage.together(
        {"transpose" + tail, bytes}, [&] { matrices.by_transposing(); }, nullptr);
  }
}

/// A product; limit: the local products of all ranks at once, on what they have anyway.
void multiply_row(Stage& stage, const std::string& tail) {
  constexpr std::ptrdiff_t n = 2048;
  if (!stage.has("multiply" + tail)) return;
  World& world = stage.world();
  Matrix a(world, {n, n}), b(world, {n, n}), c(world, {n, n});
  fill(a, 1);
  fill(b, 1);
  const std::ptrdiff_t rows = n / world.size();
  std::vector<double> left(static_cast<std::size_t>(rows * n), 1.0), right(n * n, 1.0),
      product(left.size());
  stage.together(
      {"multiply" + tail, n * n * sizeof(double)}, [&] { multiply(c, a, b); },
      [&] {
        world.barrier();
        detail::multiply_dense(product.data(), left.data(), right.data(), rows, n, n, n);
        world.barrier();
      });
}

/// x = y + 3 z; limit: a loop of each rank through pointers, between two barriers.
void triad_row(Stage& stage, const std::string& tail) {
  constexpr std::ptrdiff_t n = std::ptrdiff_t{1} << 23;
  if (!stage.has("triad" + tail)) return;
  World& world = stage.world();
  distributed_array<double, 1> x(world, {n});
  auto y = decltype(x)::like(x), z = decltype(x)::like(x);
  fill(y, 1);
  fill(z, 2);
  const std::span<double> to = x.local_memory();
  const double *const from = y.local_memory().data(), *const other = z.local_memory().data();
  stage.together(
      {"triad" + tail, n * sizeof(double)}, [&] { add(x, 1, y, 3, z); },
      [&] {
        world.barrier();
        const double factor = hidden(3.0);
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + factor * other[i];
        world.barrier();
      });
}

/// A section of the block of rank 1, on another node; limit: as many bytes in one piece.
void section_rows(Stage& stage, const std::string& tail) {
  if (!stage.has("section" + tail)) return;
  World& world = stage.world();
  const Matrix matrix(world, {2048, 1024}, {.grid = {2, 1}});
  const auto piece = world.allocate<double>(512 * 512);
  std::vector<double> memory(512 * 512);
  for (const std::ptrdiff_t n : {64, 256, 512}) {
    const std::span<double> buffer(memory.data(), static_cast<std::size_t>(n * n));
    const auto section = matrix[{Range(1024, 1024 + n), Range(0, n)}];
    stage.together(
        {"section" + tail, buffer.size_bytes()},
        [&] {
          if (stage.acts()) section.get(buffer);
        },
        [&] {
          if (stage.acts()) get(buffer, piece.on(1));
        });
  }
}

/// Factors of a matrix; limit: rank 0 by itself.
void lu_row(Stage& stage, const std::string& tail) {
  const std::ptrdiff_t n = stage.effort().batches_min < Effort().batches_min ? 1024 : 4096;
  if (!stage.has("lu" + tail)) return;
  World& world = stage.world();
  const Team alone = world.split(world.rank(), 0);
  Matrix of_all(world, {n, n}), mine(alone, {n, n});
  for (Matrix* const matrix : {&of_all, &mine})
    generate(*matrix, [n](const auto& i) {
      return i[0] == i[1] ? 1.0 : 1.0 / static_cast<double>(2 + (i[0] * 7919 + i[1] * 104729) % n);
    });
  stage.together(
      {"lu" + tail, static_cast<std::size_t>(n * n) * sizeof(double)},
      [&] { lu_factors<double> factors(of_all); },
      [&] {
        world.barrier();
        if (world.rank() == 0) lu_factors<double> factors(mine);
        world.barrier();
      });
}

}  // namespace

void array_rows(World& world, const Settings& settings) {
  Stage stage(world, settings);
  if (!same_node(0, world.size() - 1)) return section_rows(stage, ".nodes2");
  const std::string tail = ".p" + std::to_string(world.size());
  array_call_rows(stage, tail);
  remap_rows(stage, tail);
  if (stage.has("ghosts" + tail)) {
    Faces faces(world);
    stage.together(
        {"ghosts" + tail, std::size_t{6} * 128 * 128 * sizeof(double)},
        [&] { faces.by_exchange(); }, [&] { faces.by_hand(); });
  }
  triad_row(stage, tail);
  multiply_row(stage, tail);
  lu_row(stage, tail);
}

}  // namespace armature::bench
