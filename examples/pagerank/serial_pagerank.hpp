// PageRank on one rank: the measure of what is right for the distributed one.
//
// A walker follows one of the present package's dependencies with probability `damping`, else jumps
// to any package; from a package that depends on nothing it always jumps. A package's score is the
// share of time the walker spends there. The scores are found by repeating x := G x until x changes
// by less than `tolerance` in all (the sum of absolute changes).
#pragma once

#include <vector>

#include "sparse_matrix.hpp"

namespace pagerank {

struct RankingOptions {
  double damping = 0.85;
  double tolerance = 1e-10;
  int iterations_max = 1000;
};

struct Ranking {
  std::vector<double> scores;  // their sum is 1
  int iterations = 0;
  double change = 0;  // in the last iteration
};

Ranking serial_pagerank(const SparseMatrix& matrix, const RankingOptions& options = {});

}  // namespace pagerank
