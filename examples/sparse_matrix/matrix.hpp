// A sparse matrix in compressed rows, columns ascending within a row, and its shares: each rank has
// as many rows in a row as every other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparse {

using Index = std::uint32_t;

struct Matrix {
  std::vector<std::size_t> row_begin{0};  ///< Row i's entries are row_begin[i] .. row_begin[i + 1].
  std::vector<Index> columns;
  std::vector<double> values;

  [[nodiscard]] std::size_t rows() const { return row_begin.size() - 1; }
  [[nodiscard]] std::size_t entries() const { return columns.size(); }
};

struct Entry {
  Index row = 0;
  Index column = 0;
  double value = 0;
};

/// Sorts the entries; those of one place are added. Throws std::invalid_argument for an entry that
/// lies outside.
[[nodiscard]] Matrix matrix_of(std::size_t rows, std::vector<Entry> entries);

/// The rows of each rank, and the elements of the vectors that go with them.
struct Dealing {
  std::size_t rows = 0;
  int ranks = 1;

  [[nodiscard]] std::size_t each() const {
    return (rows + static_cast<std::size_t>(ranks) - 1) / static_cast<std::size_t>(ranks);
  }
  [[nodiscard]] int owner(Index row) const { return static_cast<int>(row / each()); }
  [[nodiscard]] std::size_t begin(int rank) const {
    return std::min(rows, each() * static_cast<std::size_t>(rank));
  }
  [[nodiscard]] std::size_t end(int rank) const { return begin(rank + 1); }
};

}  // namespace sparse
