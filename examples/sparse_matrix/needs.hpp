// The elements of the vector that a rank's rows need: its own, and those of others, of which it has
// a copy. Every way to fetch copies gets the same elements into the same places.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "matrix.hpp"

namespace sparse {

struct Needs {
  /// Elements of one other rank, as it numbers them, ascending; their copies lie at `place` ..
  struct Part {
    int owner = 0;
    std::vector<Index> elements;
    std::size_t place = 0;
  };
  std::vector<Part> parts;
  std::vector<Index> slots;  ///< The place of the factor of each entry of the rank's rows.
  std::size_t own = 0;       ///< The rank's own elements come first.
  std::size_t copies = 0;    ///< The others' come behind them.
};

[[nodiscard]] Needs needs_of(const Matrix& matrix, const Dealing& dealing, int rank);

/// y = A x for the rank's rows; x holds what `needs` says.
void multiply(const Matrix& matrix, const Dealing& dealing, int rank, const Needs& needs,
              std::span<const double> x, std::span<double> y);

/// Element i of the vector that is multiplied: not alike, and the same for every program.
[[nodiscard]] inline double element(std::size_t i) {
  return 1 + static_cast<double>(i * 7919 % 1009) / 1009;
}

/// Whether y is A x, to the last bit: a row is summed in the same order everywhere.
[[nodiscard]] bool is_product(const Matrix& matrix, const Dealing& dealing, int rank,
                              std::span<const double> y);

}  // namespace sparse
