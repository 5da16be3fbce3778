#include "sparse_matrix.hpp"

namespace pagerank {

SparseMatrix link_matrix(const debian::PackageGraph& graph, debian::Fields fields) {
  const std::size_t packages = graph.names.size();
  std::vector<std::uint32_t> out_degree(packages);
  SparseMatrix matrix;
  matrix.row_begin.resize(packages + 1);
  for (const debian::Link& link : graph.links) {
    if (!link.fields.meets(fields)) continue;
    ++out_degree[link.from];
    ++matrix.row_begin[link.to + 1];
  }
  for (std::size_t i = 0; i < packages; ++i) matrix.row_begin[i + 1] += matrix.row_begin[i];

  // Links are sorted by package that depends, so each row's columns come out sorted.
  std::vector<std::uint32_t> next(matrix.row_begin.begin(), matrix.row_begin.end() - 1);
  matrix.columns.resize(matrix.row_begin.back());
  matrix.values.resize(matrix.row_begin.back());
  for (const debian::Link& link : graph.links) {
    if (!link.fields.meets(fields)) continue;
    const std::uint32_t at = next[link.to]++;
    matrix.columns[at] = link.from;
    matrix.values[at] = 1.0 / out_degree[link.from];
  }
  return matrix;
}

std::vector<std::uint8_t> empty_columns(const SparseMatrix& matrix) {
  std::vector<std::uint8_t> empty(matrix.rows(), 1);
  for (const std::uint32_t column : matrix.columns) empty[column] = 0;
  return empty;
}

}  // namespace pagerank
