// Each rank owns some rows of the matrix, and elements of the vectors: contiguous blocks.
//
// Equal numbers of rows would be poor here: half of all dependencies point to packages whose names
// begin with "lib" or "python". So the blocks are cut where the work, rows plus entries, is even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sparse_matrix.hpp"

namespace pagerank {

class RowBlocks {
 public:
  // Blocks may be empty when there are more of them than rows.
  static RowBlocks balanced(const SparseMatrix& matrix, int blocks);
  // Takes what bounds() gave on another rank.
  explicit RowBlocks(std::vector<std::uint32_t> bounds) : bounds_(std::move(bounds)) {}

  int blocks() const { return static_cast<int>(bounds_.size()) - 1; }
  std::uint32_t first(int block) const { return bounds_[static_cast<std::size_t>(block)]; }
  std::uint32_t rows(int block) const { return first(block + 1) - first(block); }
  std::uint32_t rows() const { return bounds_.back(); }
  int owner(std::uint32_t row) const;
  std::span<const std::uint32_t> bounds() const { return bounds_; }

 private:
  std::vector<std::uint32_t> bounds_;  // block b is bounds_[b] .. bounds_[b + 1]
};

}  // namespace pagerank
