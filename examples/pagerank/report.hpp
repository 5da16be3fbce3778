// The report that the program gives at its end.
#pragma once

#include <cstddef>
#include <string>

#include "debian/package_graph.hpp"
#include "distributed_matrix.hpp"
#include "heat_map.hpp"
#include "parallel_pagerank.hpp"
#include "sparse_matrix.hpp"

namespace pagerank {

// The packages with the highest scores, each with the number of packages that name it.
std::string top_table(const debian::PackageGraph& graph, const SparseMatrix& matrix,
                      const Ranking& ranking, std::size_t count);

// Gets and bytes of every rank, one by one and aggregated, with the times of both.
std::string fetch_table(const RowBlocks& blocks, const SparseMatrix& matrix,
                        const ParallelRun& one_by_one, const ParallelRun& aggregated);

// Draws as a picture who fetched how much from whom.
HeatMap fetch_map(const SparseMatrix& matrix, const ParallelRun& one_by_one,
                  const ParallelRun& aggregated);

double largest_difference(const Ranking& a, const Ranking& b);

}  // namespace pagerank
