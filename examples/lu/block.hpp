// The four operations of the blocked LU factorisation: the SPLASH-2 kernel's lu0, bdiv, bmodd and
// bmod. Each works on blocks that lie anywhere in memory: contiguous, or part of a larger matrix.
#pragma once

#include <cstddef>

namespace lu {

/// Rows of doubles, `ld` apart.
struct Block {
  double* data = nullptr;
  std::ptrdiff_t ld = 0;
  int rows = 0;
  int cols = 0;

  double* row(int i) const { return data + i * ld; }
};

/// A = L U in place, L having a unit diagonal. No pivoting.
void factor_diagonal(Block a);

/// A <- A U^-1, U being the upper triangle of `diagonal`: a block below the diagonal.
void divide_by_upper(Block a, Block diagonal);

/// A <- L^-1 A, L being the unit lower triangle of `diagonal`: a block right of the diagonal.
void divide_by_lower(Block a, Block diagonal);

/// C <- C - A B: an interior block.
void subtract_product(Block c, Block a, Block b);

}  // namespace lu
