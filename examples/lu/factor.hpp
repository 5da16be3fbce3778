// The factorisation, written once for ranks and for threads. A `Matrix` is one worker's view:
//
//   const Layout& layout(), int me()
//   Block block(i, j)         a block that I own
//   Block read(i, j, slot)    any block, to be read: mine in place; another's perhaps copied to
//   that
//                             slot (0 .. slots-1), good after finish_reads() and until it is reused
//   void finish_reads()
//   void barrier()
//
// Step k: the owner of the diagonal block factors it; the owners of the blocks below and beside it
// divide by it; everybody subtracts, from the interior blocks it owns, the product of the perimeter
// blocks of their row and column. Finished blocks do not change any more, so two barriers a step
// are enough: the next diagonal block is updated and factored by one and the same owner.
#pragma once

#include <vector>

#include "layout.hpp"

namespace lu {

template <class Matrix>
class Factorisation {
 public:
  explicit Factorisation(Matrix& matrix)
      : matrix_(matrix),
        rows_(matrix.layout().rows_of(matrix.me())),
        cols_(matrix.layout().cols_of(matrix.me())) {}

  /// Slots that `read` is called with.
  static int slots(const Layout& layout) { return 2 * layout.blocks() + 1; }

  void run() {
    const int blocks = matrix_.layout().blocks();
    matrix_.barrier();
    for (int k = 0; k < blocks; ++k) {
      if (matrix_.layout().owner(k, k) == matrix_.me()) factor_diagonal(matrix_.block(k, k));
      matrix_.barrier();
      divide_perimeter(k);
      matrix_.barrier();
      subtract_from_interior(k);
    }
    matrix_.barrier();
  }

 private:
  void divide_perimeter(int k) {
    const bool below = contains(cols_, k) && !rows_.empty() && rows_.back() > k;
    const bool beside = contains(rows_, k) && !cols_.empty() && cols_.back() > k;
    if (!below && !beside) return;
    const Block diagonal = matrix_.read(k, k, slots(matrix_.layout()) - 1);
    matrix_.finish_reads();
    for (int i : rows_) {
      if (below && i > k) divide_by_upper(matrix_.block(i, k), diagonal);
    }
    for (int j : cols_) {
      if (beside && j > k) divide_by_lower(matrix_.block(k, j), diagonal);
    }
  }

  void subtract_from_interior(int k) {
    if (rows_.empty() || cols_.empty() || rows_.back() <= k || cols_.back() <= k) return;
    const int blocks = matrix_.layout().blocks();
    std::vector<Block> left(static_cast<std::size_t>(blocks)), above(left.size());
    for (int i : rows_) {
      if (i > k) left[static_cast<std::size_t>(i)] = matrix_.read(i, k, i);
    }
    for (int j : cols_) {
      if (j > k) above[static_cast<std::size_t>(j)] = matrix_.read(k, j, blocks + j);
    }
    matrix_.finish_reads();
    for (int i : rows_) {
      for (int j : cols_) {
        if (i <= k || j <= k) continue;
        subtract_product(matrix_.block(i, j), left[static_cast<std::size_t>(i)],
                         above[static_cast<std::size_t>(j)]);
      }
    }
  }

  static bool contains(const std::vector<int>& numbers, int k) {
    for (int number : numbers) {
      if (number == k) return true;
    }
    return false;
  }

  Matrix& matrix_;
  std::vector<int> rows_;
  std::vector<int> cols_;
};

}  // namespace lu
