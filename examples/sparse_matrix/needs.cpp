#include "needs.hpp"

#include <map>
#include <set>

namespace sparse {

Needs needs_of(const Matrix& matrix, const Dealing& dealing, int rank) {
  const std::size_t first = dealing.begin(rank), last = dealing.end(rank);
  const std::span columns =
      std::span(matrix.columns)
          .subspan(matrix.row_begin[first], matrix.row_begin[last] - matrix.row_begin[first]);
  std::set<Index> others;
  for (const Index column : columns)
    if (dealing.owner(column) != rank) others.insert(column);
  Needs needs{.parts = {}, .slots = {}, .own = last - first, .copies = others.size()};
  std::map<Index, Index> place;
  for (const Index column : others) {
    const int owner = dealing.owner(column);
    const std::size_t slot = needs.own + place.size();
    if (needs.parts.empty() || needs.parts.back().owner != owner)
      needs.parts.push_back({owner, {}, slot});
    needs.parts.back().elements.push_back(column - static_cast<Index>(dealing.begin(owner)));
    place[column] = static_cast<Index>(slot);
  }
  needs.slots.reserve(columns.size());
  for (const Index column : columns)
    needs.slots.push_back(dealing.owner(column) == rank ? column - static_cast<Index>(first)
                                                        : place[column]);
  return needs;
}

void multiply(const Matrix& matrix, const Dealing& dealing, int rank, const Needs& needs,
              std::span<const double> x, std::span<double> y) {
  const std::size_t first = dealing.begin(rank), begin = matrix.row_begin[first];
  for (std::size_t row = first; row < dealing.end(rank); ++row) {
    double sum = 0;
    for (std::size_t k = matrix.row_begin[row]; k < matrix.row_begin[row + 1]; ++k)
      sum += matrix.values[k] * x[needs.slots[k - begin]];
    y[row - first] = sum;
  }
}

bool is_product(const Matrix& matrix, const Dealing& dealing, int rank, std::span<const double> y) {
  const std::size_t first = dealing.begin(rank);
  for (std::size_t row = first; row < dealing.end(rank); ++row) {
    double sum = 0;
    for (std::size_t k = matrix.row_begin[row]; k < matrix.row_begin[row + 1]; ++k)
      sum += matrix.values[k] * element(matrix.columns[k]);
    if (y[row - first] != sum) return false;
  }
  return true;
}

}  // namespace sparse
