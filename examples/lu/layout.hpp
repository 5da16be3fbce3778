// A layout says which rank owns which block of the matrix, and where the block lies in that rank's
// memory. Every rank computes the same answers, so a block of another rank is found without asking.
//
//   block-cyclic   block (i, j) belongs to rank (i mod p, j mod q) of a p x q grid: even work to
//                  the end. Each block is contiguous in its owner's memory.
//   node-cyclic    a node owns one rectangle of neighbouring blocks, and its ranks deal these among
//                  themselves as block-cyclic does.
//   block          a rank owns one rectangle of neighbouring blocks, stored as a plain row-major
//                  matrix: a block is a strided section of it. Better locality, uneven work.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "block.hpp"

namespace lu {

enum class Distribution { block_cyclic, node_cyclic, block };

/// "block-cyclic", "node-cyclic" or "block". Throws std::invalid_argument.
Distribution parse_distribution(std::string_view name);

class Layout {
 public:
  /// An n x n matrix in blocks of edge `block`, over `ranks` ranks.
  struct Shape {
    int n = 0;
    int block = 0;
    int ranks = 1;
    Distribution distribution = Distribution::block_cyclic;
    int nodes = 1;  ///< For node-cyclic: each has equally many ranks.
  };
  /// Throws std::invalid_argument where ranks do not fill the nodes evenly.
  explicit Layout(const Shape& shape);

  const Shape& shape() const { return shape_; }
  /// Blocks along an edge; the last may be narrower than the others.
  int blocks() const { return blocks_; }
  /// Rows (or columns) of the blocks with this row (or column) number.
  int edge(int i) const;

  int owner(int i, int j) const {
    const int row = row_owner(i), col = col_owner(j);
    const int node = row / node_rows_ * (grid_cols_ / node_cols_) + col / node_cols_;
    return node * node_rows_ * node_cols_ + row % node_rows_ * node_cols_ + col % node_cols_;
  }
  /// The block's view, were its owner's memory at `memory`.
  Block locate(double* memory, int i, int j) const;
  /// Doubles that a rank stores.
  std::size_t footprint(int rank) const;

  /// The rank's row and column in the grid.
  int grid_row(int rank) const {
    const int node = rank / (node_rows_ * node_cols_), in = rank % (node_rows_ * node_cols_);
    return node / (grid_cols_ / node_cols_) * node_rows_ + in / node_cols_;
  }
  int grid_col(int rank) const {
    const int node = rank / (node_rows_ * node_cols_), in = rank % (node_rows_ * node_cols_);
    return node % (grid_cols_ / node_cols_) * node_cols_ + in % node_cols_;
  }

  /// Block rows and block columns of which the rank owns a part; it owns all their intersections.
  std::vector<int> rows_of(int rank) const;
  std::vector<int> cols_of(int rank) const;

 private:
  int row_owner(int i) const {
    if (!cyclic()) return i / rows_each_;
    return i / node_block_rows_ * node_rows_ + i % node_block_rows_ % node_rows_;
  }
  int col_owner(int j) const {
    if (!cyclic()) return j / cols_each_;
    return j / node_block_cols_ * node_cols_ + j % node_block_cols_ % node_cols_;
  }
  bool cyclic() const { return shape_.distribution != Distribution::block; }

  Shape shape_;
  int blocks_;
  int node_rows_;  // ranks of a node along a column and a row
  int node_cols_;
  int grid_rows_;
  int grid_cols_;
  int node_block_rows_;  // blocks of a node
  int node_block_cols_;
  int rows_each_;  // block rows and columns of the largest share
  int cols_each_;
};

}  // namespace lu
