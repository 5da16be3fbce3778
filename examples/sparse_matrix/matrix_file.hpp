// Matrices as the collections publish them: in the Matrix Market exchange format, or in that of
// Harwell and Boeing.
#pragma once

#include <istream>
#include <string>

#include "matrix.hpp"

namespace sparse {

/// Reads a square matrix; the first line says in which format. Throws std::runtime_error, which
/// names the file and says what is wrong with it.
[[nodiscard]] Matrix read_matrix(const std::string& file);

/// The formats themselves: coordinate real, integer or pattern, general, symmetric or skew (Matrix
/// Market), and assembled RUA, RSA, RZA, PUA, PSA (Harwell-Boeing). A pattern's entries are 1.
/// Throw std::runtime_error.
[[nodiscard]] Matrix read_matrix_market(std::istream& in);
[[nodiscard]] Matrix read_harwell_boeing(std::istream& in);

/// Adds the entry, and its mirror image in a matrix of which only the lower half is written down:
/// 1 for a symmetric one, -1 for a skew one, 0 for any other.
void add_entry(std::vector<Entry>& entries, const Entry& entry, int mirrored);

/// The number of a row or a column that files count from 1.
[[nodiscard]] Index index_of(std::int64_t counted_from_1);

/// Throws what is wrong with a file.
[[noreturn]] void bad_matrix(const std::string& what);

}  // namespace sparse
