// A layout says which rank owns which block of the matrix, and where the block lies in that rank's
// memory. Every rank computes the same answers, so a block of another rank is found without asking.
//
//   block-cyclic   block (i, j) belongs to rank (i mod p, j mod q) of a p x q grid: even work to
//                  the end. Each block is contiguous in its owner's memory.
//   block          a rank owns one rectangle of neighbouring blocks, stored as a plain row-major
//                  matrix: a block is a strided section of it. Better locality, uneven work.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "block.hpp"

namespace lu {

enum class Distribution { block_cyclic, block };

/// "block-cyclic" or "block". Throws std::invalid_argument.
Distribution parse_distribution(std::string_view name);

class Layout {
 public:
  /// An n x n matrix in blocks of edge `block`, over `ranks` ranks.
  struct Shape {
    int n = 0;
    int block = 0;
    int ranks = 1;
    Distribution distribution = Distribution::block_cyclic;
  };
  explicit Layout(const Shape& shape);

  const Shape& shape() const { return shape_; }
  /// Blocks along an edge; the last may be narrower than the others.
  int blocks() const { return blocks_; }
  /// Rows (or columns) of the blocks with this row (or column) number.
  int edge(int i) const;

  int owner(int i, int j) const { return row_owner(i) * grid_cols_ + col_owner(j); }
  /// The block's view, were its owner's memory at `memory`.
  Block locate(double* memory, int i, int j) const;
  /// Doubles that a rank stores.
  std::size_t footprint(int rank) const;

  /// The rank's row and column in the grid.
  int grid_row(int rank) const { return rank / grid_cols_; }
  int grid_col(int rank) const { return rank % grid_cols_; }

  /// Block rows and block columns of which the rank owns a part; it owns all their intersections.
  std::vector<int> rows_of(int rank) const;
  std::vector<int> cols_of(int rank) const;

 private:
  int row_owner(int i) const { return cyclic() ? i % grid_rows_ : i / rows_each_; }
  int col_owner(int j) const { return cyclic() ? j % grid_cols_ : j / cols_each_; }
  bool cyclic() const { return shape_.distribution == Distribution::block_cyclic; }

  Shape shape_;
  int blocks_;
  int grid_rows_;
  int grid_cols_;
  int rows_each_;  // block rows and columns of the largest share
  int cols_each_;
};

}  // namespace lu
