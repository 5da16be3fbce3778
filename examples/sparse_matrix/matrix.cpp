#include "matrix.hpp"

#include <stdexcept>
#include <string>
#include <tuple>

namespace sparse {

Matrix matrix_of(std::size_t rows, std::vector<Entry> entries) {
  std::ranges::stable_sort(entries, {},
                           [](const Entry& each) { return std::tie(each.row, each.column); });
  Matrix matrix;
  matrix.row_begin.assign(rows + 1, 0);
  const Entry* last = nullptr;
  for (const Entry& each : entries) {
    if (each.row >= rows || each.column >= rows)
      throw std::invalid_argument("an entry in row " + std::to_string(each.row + 1) + ", column " +
                                  std::to_string(each.column + 1) + " of a matrix of " +
                                  std::to_string(rows) + " rows");
    if (last != nullptr && last->row == each.row && last->column == each.column) {
      matrix.values.back() += each.value;
    } else {
      matrix.columns.push_back(each.column);
      matrix.values.push_back(each.value);
      ++matrix.row_begin[each.row + 1];
    }
    last = &each;
  }
  for (std::size_t i = 0; i < rows; ++i) matrix.row_begin[i + 1] += matrix.row_begin[i];
  return matrix;
}

}  // namespace sparse
