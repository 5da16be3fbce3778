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

}  // namespace

Distribution parse_distribution(std::string_view name) {
  if (name == "block-cyclic") return Distribution::block_cyclic;
  if (name == "block") return Distribution::block;
  throw std::invalid_argument("no distribution '" + std::string(name) +
                              "': give block-cyclic or block");
}

Layout::Layout(const Shape& shape)
    : shape_(shape),
      blocks_(divide_up(shape.n, shape.block)),
      grid_rows_(choose_grid_rows(shape.ranks)),
      grid_cols_(shape.ranks / grid_rows_),
      rows_each_(divide_up(blocks_, grid_rows_)),
      cols_each_(divide_up(blocks_, grid_cols_)) {}

int Layout::edge(int i) const { return std::min(shape_.block, shape_.n - i * shape_.block); }

Block Layout::locate(double* memory, int i, int j) const {
  const std::ptrdiff_t b = shape_.block;
  if (cyclic()) {
    const std::ptrdiff_t index = std::ptrdiff_t{i / grid_rows_} * cols_each_ + j / grid_cols_;
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
