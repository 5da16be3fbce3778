// A sparse matrix in compressed rows, and the one PageRank works on.
//
// In the link matrix, row i and column j hold 1 / (number of j's dependencies) where package j
// depends on package i. Multiplied with a vector of scores, each package hands its score in equal
// parts to what it depends on. A column without entries is a package that depends on nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "debian/package_graph.hpp"

namespace pagerank {

struct SparseMatrix {
  std::vector<std::uint32_t> row_begin;  // row i's entries are row_begin[i] .. row_begin[i + 1]
  std::vector<std::uint32_t> columns;
  std::vector<double> values;

  std::size_t rows() const { return row_begin.size() - 1; }
  std::size_t nonzeros() const { return columns.size(); }
};

// The product of one row with x, where slots[k] says where in x entry k finds its factor.
inline double row_product(std::span<const double> values, std::span<const std::uint32_t> slots,
                          const double* x) {
  double sum = 0;
  for (std::size_t k = 0; k < values.size(); ++k) sum += values[k] * x[slots[k]];
  return sum;
}

SparseMatrix link_matrix(const debian::PackageGraph& graph, debian::Fields fields);

// One byte per column: 1 where it has no entry.
std::vector<std::uint8_t> empty_columns(const SparseMatrix& matrix);

}  // namespace pagerank
