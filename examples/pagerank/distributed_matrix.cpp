#include "distributed_matrix.hpp"

#include <span>
#include <vector>

namespace pagerank {
namespace {

RowBlocks agree_on_blocks(armature::World& world, const SparseMatrix* whole) {
  std::vector<std::uint32_t> bounds(static_cast<std::size_t>(world.size()) + 1);
  if (whole != nullptr) {
    const RowBlocks blocks = RowBlocks::balanced(*whole, world.size());
    bounds.assign(blocks.bounds().begin(), blocks.bounds().end());
  }
  broadcast(world, std::span(bounds), 0);
  return RowBlocks(std::move(bounds));
}

// How many entries each rank's rows have.
std::vector<std::uint32_t> agree_on_entries(armature::World& world, const RowBlocks& blocks,
                                            const SparseMatrix* whole) {
  std::vector<std::uint32_t> entries(static_cast<std::size_t>(world.size()));
  if (whole != nullptr) {
    for (int rank = 0; rank < world.size(); ++rank) {
      entries[static_cast<std::size_t>(rank)] =
          whole->row_begin[blocks.first(rank + 1)] - whole->row_begin[blocks.first(rank)];
    }
  }
  broadcast(world, std::span(entries), 0);
  return entries;
}

void put_block(const DistributedMatrix& to, int rank, const SparseMatrix& whole,
               std::span<const std::uint8_t> empty) {
  const std::uint32_t first_row = to.blocks.first(rank);
  const std::uint32_t rows = to.blocks.rows(rank);
  const std::uint32_t first = whole.row_begin[first_row];
  const std::uint32_t entries = whole.row_begin[first_row + rows] - first;
  std::vector<std::uint32_t> row_begin(rows + 1);
  for (std::uint32_t i = 0; i <= rows; ++i) row_begin[i] = whole.row_begin[first_row + i] - first;
  armature::put(to.row_begin.on(rank), row_begin);
  armature::put(to.columns.on(rank), whole.columns.data() + first, entries);
  armature::put(to.values.on(rank), whole.values.data() + first, entries);
  armature::put(to.empty_columns.on(rank), empty.data() + first_row, rows);
}

}  // namespace

DistributedMatrix distribute(armature::World& world, const SparseMatrix* whole) {
  RowBlocks blocks = agree_on_blocks(world, whole);
  const std::size_t rows = blocks.rows(world.rank());
  const std::size_t entries =
      agree_on_entries(world, blocks, whole)[static_cast<std::size_t>(world.rank())];
  DistributedMatrix matrix{std::move(blocks), world.allocate<std::uint32_t>(rows + 1),
                           world.allocate<std::uint32_t>(entries), world.allocate<double>(entries),
                           world.allocate<std::uint8_t>(rows)};
  if (whole != nullptr) {
    const std::vector<std::uint8_t> empty = empty_columns(*whole);
    for (int rank = 0; rank < world.size(); ++rank) put_block(matrix, rank, *whole, empty);
  }
  world.barrier();  // it includes the fence: every rank's rows are there
  return matrix;
}

}  // namespace pagerank
