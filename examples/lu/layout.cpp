#include "layout.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace lu {
namespace {

int divide_up(int a, int b) { return (a + b - 1) / b; }

// The divisor of `ranks` nearest to its square root from below.
int choose_grid_rows(int ranks) {
  int rows = 1;
  for (int p = 1; p * p <= ranks; ++p) {
    if (ranks % p == 0) rows = p;
  }
  return rows;
}

// One node, unless nodes matter.
int nodes_of(const Layout::Shape& shape) {
  if (shape.distribution != Distribution::node_cyclic) return 1;
  if (shape.nodes < 1 || shape.ranks % shape.nodes != 0)
    throw std::invalid_argument("node-cyclic wants as many ranks on each node, not " +
                                std::to_string(shape.ranks) + " on " + std::to_string(shape.nodes));
  return shape.nodes;
}

}  // namespace

Distribution parse_distribution(std::string_view name) {
  if (name == "block-cyclic") return Distribution::block_cyclic;
  if (name == "node-cyclic") return Distribution::node_cyclic;
  if (name == "block") return Distribution::block;
  throw std::invalid_argument("no distribution '" + std::string(name) +
                              "': give block-cyclic, node-cyclic or block");
}

Layout::Layout(const Shape& shape)
    : shape_(shape),
      blocks_(divide_up(shape.n, shape.block)),
      node_rows_(choose_grid_rows(shape.ranks / nodes_of(shape))),
      node_cols_(shape.ranks / nodes_of(shape) / node_rows_),
      grid_rows_(choose_grid_rows(nodes_of(shape)) * node_rows_),
      grid_cols_(shape.ranks / grid_rows_),
      node_block_rows_(divide_up(blocks_, grid_rows_ / node_rows_)),
      node_block_cols_(divide_up(blocks_, grid_cols_ / node_cols_)),
      rows_each_(divide_up(node_block_rows_, node_rows_)),
      cols_each_(divide_up(node_block_cols_, node_cols_)) {}

int Layout::edge(int i) const { return std::min(shape_.block, shape_.n - i * shape_.block); }

Block Layout::locate(double* memory, int i, int j) const {
  const std::ptrdiff_t b = shape_.block;
  if (cyclic()) {
    const std::ptrdiff_t row = i % node_block_rows_ / node_rows_;
    const std::ptrdiff_t index = row * cols_each_ + j % node_block_cols_ / node_cols_;
    return {.data = memory + index * b * b, .ld = edge(j), .rows = edge(i), .cols = edge(j)};
  }
  const std::ptrdiff_t ld = cols_each_ * b;
  const std::ptrdiff_t row = i % rows_each_ * b;
  const std::ptrdiff_t col = j % cols_each_ * b;
  return {.data = memory + row * ld + col, .ld = ld, .rows = edge(i), .cols = edge(j)};
}

std::size_t Layout::footprint(int rank) const {
  if (rows_of(rank).empty() || cols_of(rank).empty()) return 0;
  const auto b = static_cast<std::size_t>(shape_.block);
  return static_cast<std::size_t>(rows_each_) * b * static_cast<std::size_t>(cols_each_) * b;
}

std::vector<int> Layout::rows_of(int rank) const {
  std::vector<int> rows;
  for (int i = 0; i < blocks_; ++i) {
    if (row_owner(i) == grid_row(rank)) rows.push_back(i);
  }
  return rows;
}

std::vector<int> Layout::cols_of(int rank) const {
  std::vector<int> cols;
  for (int j = 0; j < blocks_; ++j) {
    if (col_owner(j) == grid_col(rank)) cols.push_back(j);
  }
  return cols;
}

}  // namespace lu
