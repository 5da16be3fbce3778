#include "row_blocks.hpp"

#include <algorithm>

namespace pagerank {

RowBlocks RowBlocks::balanced(const SparseMatrix& matrix, int blocks) {
  const std::size_t rows = matrix.rows();
  const std::uint64_t work = rows + matrix.nonzeros();
  std::vector<std::uint32_t> bounds{0};
  std::uint32_t row = 0;
  for (int block = 1; block < blocks; ++block) {
    const std::uint64_t share =
        work * static_cast<std::uint64_t>(block) / static_cast<std::uint64_t>(blocks);
    while (row < rows && row + matrix.row_begin[row] < share) ++row;
    bounds.push_back(row);
  }
  bounds.push_back(static_cast<std::uint32_t>(rows));
  return RowBlocks(std::move(bounds));
}

int RowBlocks::owner(std::uint32_t row) const {
  const auto next = std::upper_bound(bounds_.begin(), bounds_.end(), row);
  return static_cast<int>(next - bounds_.begin()) - 1;
}

}  // namespace pagerank
