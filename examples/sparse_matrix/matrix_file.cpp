#include "matrix_file.hpp"

#include <exception>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace sparse {

void bad_matrix(const std::string& what) { throw std::runtime_error(what); }

void add_entry(std::vector<Entry>& entries, const Entry& entry, int mirrored) {
  entries.push_back(entry);
  if (mirrored != 0 && entry.row != entry.column)
    entries.push_back({entry.column, entry.row, mirrored * entry.value});
}

Index index_of(std::int64_t counted_from_1) {
  if (counted_from_1 < 1 || counted_from_1 > std::numeric_limits<Index>::max())
    bad_matrix("rows and columns are counted from 1: no " + std::to_string(counted_from_1));
  return static_cast<Index>(counted_from_1 - 1);
}

Matrix read_matrix(const std::string& file) {
  std::ifstream in(file);
  if (!in) bad_matrix(file + ": cannot be read");
  try {
    return in.peek() == '%' ? read_matrix_market(in) : read_harwell_boeing(in);
  } catch (const std::exception& error) {
    throw std::runtime_error(file + ": " + error.what());
  }
}

}  // namespace sparse
