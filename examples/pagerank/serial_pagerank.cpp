#include "serial_pagerank.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace pagerank {

Ranking serial_pagerank(const SparseMatrix& matrix, const RankingOptions& options) {
  const std::size_t rows = matrix.rows();
  const auto everyone = static_cast<double>(rows);
  const std::vector<std::uint8_t> dangling = empty_columns(matrix);
  Ranking ranking;
  std::vector<double>& x = ranking.scores;
  x.assign(rows, 1 / everyone);
  std::vector<double> next(rows);
  do {
    double idle = 0;  // the score of packages that depend on nothing, shared by all
    for (std::size_t i = 0; i < rows; ++i) idle += dangling[i] != 0 ? x[i] : 0;
    const double jump = (1 - options.damping + options.damping * idle) / everyone;
    double change = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t first = matrix.row_begin[i];
      const std::size_t count = matrix.row_begin[i + 1] - first;
      next[i] =
          jump + options.damping * row_product({matrix.values.data() + first, count},
                                               {matrix.columns.data() + first, count}, x.data());
      change += std::abs(next[i] - x[i]);
    }
    x.swap(next);
    ranking.change = change;
    ++ranking.iterations;
  } while (ranking.change >= options.tolerance && ranking.iterations < options.iterations_max);
  return ranking;
}

}  // namespace pagerank
