// PageRank on all ranks of the job: matrix and vectors distributed by rows, remote elements fetched
// with one-sided gets. Nobody sends anything: who needs an element reads it where it is.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <armature/armature.hpp>

#include "distributed_matrix.hpp"
#include "fetch_plan.hpp"
#include "serial_pagerank.hpp"

namespace pagerank {

// The work of one rank.
struct FetchCount {
  std::uint64_t gets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t waits = 0;  // for data: once an iteration, or for every aggregate
  double seconds = 0;       // spent fetching
};

struct ParallelRun {
  Ranking ranking;                        // the scores at rank 0 only
  double seconds = 0;                     // from the first iteration to the last
  std::vector<FetchCount> counts;         // per rank
  std::vector<std::uint64_t> bytes_from;  // [who * ranks + owner]
};

using OnIteration = std::function<void(int iteration, double change)>;

// Collective. on_iteration is called on every rank.
ParallelRun parallel_pagerank(armature::World& world, const DistributedMatrix& matrix,
                              Fetching fetching, const RankingOptions& options,
                              const OnIteration& on_iteration);

}  // namespace pagerank
