// The factorisation, written once for ranks and for threads. A `Matrix` is one worker's view:
//
//   const Layout& layout(), int me()
//   Block block(i, j)         a block that I own
//   Block read(i, j, slot)    any block, to be read: mine in place; another's perhaps copied to
//                             that slot (0 .. slots-1), good after finish_reads() and until it is
//                             reused
//   void finish_reads()
//   void announce(worker)     it may read what I have finished
//   void await(worker)        the next time that worker announces something to me
//   void barrier()
//   void finish_step(k)       I have done my part of step k
//
// Step k: the owner of the diagonal block factors it, and the owners of the blocks below and beside
// it divide by it. Then everybody subtracts, from the interior blocks it owns, the product of the
// perimeter blocks of their row and column. Finished blocks do not change any more, so nobody waits
// but for those whose blocks it is about to read, and some may be steps ahead of others. What one
// worker announces to another is awaited in the same order: step by step, a diagonal block first.
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
        cols_(matrix.layout().cols_of(matrix.me())) {
    const Layout& layout = matrix.layout();
    for (int worker = 0; worker < layout.shape().ranks; ++worker) {
      if (worker == matrix.me()) continue;
      if (layout.grid_row(worker) == layout.grid_row(matrix.me()))
        beside_me_.push_back({worker, last_of(layout.cols_of(worker))});
      if (layout.grid_col(worker) == layout.grid_col(matrix.me()))
        below_me_.push_back({worker, last_of(layout.rows_of(worker))});
    }
  }

  /// Slots that `read` is called with.
  static int slots(const Layout& layout) { return 2 * layout.blocks() + 1; }

  void run() {
    const int blocks = matrix_.layout().blocks();
    matrix_.barrier();
    for (int k = 0; k < blocks; ++k) {
      if (matrix_.layout().owner(k, k) == matrix_.me()) {
        factor_diagonal(matrix_.block(k, k));
        announce(below_me_, k);
        announce(beside_me_, k);
      }
      divide_perimeter(k);
      subtract_from_interior(k);
      matrix_.finish_step(k);
    }
    matrix_.barrier();
  }

 private:
  /// Another worker of my row (or column) of the grid, and the last block column (row) it has.
  struct Neighbour {
    int worker;
    int last;
  };

  static int last_of(const std::vector<int>& numbers) {
    return numbers.empty() ? -1 : numbers.back();
  }

  /// Tells ranks that have blocks behind block column (or row) k.
  void announce(const std::vector<Neighbour>& neighbours, int k) {
    for (const Neighbour& each : neighbours) {
      if (each.last > k) matrix_.announce(each.worker);
    }
  }

  void await(int worker) {
    if (worker != matrix_.me()) matrix_.await(worker);
  }

  void divide_perimeter(int k) {
    const bool below = contains(cols_, k) && last_of(rows_) > k;
    const bool beside = contains(rows_, k) && last_of(cols_) > k;
    if (!below && !beside) return;
    await(matrix_.layout().owner(k, k));
    const Block diagonal = matrix_.read(k, k, slots(matrix_.layout()) - 1);
    matrix_.finish_reads();
    for (int i : rows_) {
      if (below && i > k) divide_by_upper(matrix_.block(i, k), diagonal);
    }
    if (below) announce(beside_me_, k);
    for (int j : cols_) {
      if (beside && j > k) divide_by_lower(matrix_.block(k, j), diagonal);
    }
    if (beside) announce(below_me_, k);
  }

  void subtract_from_interior(int k) {
    if (last_of(rows_) <= k || last_of(cols_) <= k) return;
    const Layout& layout = matrix_.layout();
    const int blocks = layout.blocks();
    std::vector<Block> left(static_cast<std::size_t>(blocks)), above(left.size());
    await(layout.owner(rows_.front(), k));
    for (int i : rows_) {
      if (i > k) left[static_cast<std::size_t>(i)] = matrix_.read(i, k, i);
    }
    await(layout.owner(k, cols_.front()));
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
  std::vector<Neighbour> beside_me_;
  std::vector<Neighbour> below_me_;
};

}  // namespace lu
