// The link matrix in the job's shared memory, a block of rows on each rank.
//
// One rank reads the graph; it puts each rank's rows where that rank has made room for them.
#pragma once

#include <cstdint>

#include <armature/armature.hpp>

#include "row_blocks.hpp"
#include "sparse_matrix.hpp"

namespace pagerank {

struct DistributedMatrix {
  RowBlocks blocks;
  armature::Piece<std::uint32_t> row_begin;  // relative to the block's first entry
  armature::Piece<std::uint32_t> columns;    // of the whole matrix
  armature::Piece<double> values;
  armature::Piece<std::uint8_t> empty_columns;  // for the block's own elements of the vector
};

// Collective; `whole` is the matrix at rank 0, and null at the others.
DistributedMatrix distribute(armature::World& world, const SparseMatrix* whole);

}  // namespace pagerank
