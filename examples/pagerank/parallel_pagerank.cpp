#include "parallel_pagerank.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

namespace pagerank {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Sums over a rank's rows, then over all ranks.
struct Sums {
  double change = 0;  // of the scores in this iteration
  double idle = 0;    // the score of packages that depend on nothing
};

Sums sum_over_ranks(armature::World& world, const Sums& mine) {
  std::array sums{mine.change, mine.idle};
  allreduce(world, std::span<double>(sums));
  return {sums[0], sums[1]};
}

// next := G x for the rank's own rows; `buffer` holds all elements of x that they need.
Sums multiply(const DistributedMatrix& matrix, const FetchPlan& plan, double damping, double jump,
              const std::vector<double>& buffer, std::span<double> next) {
  const auto row_begin = matrix.row_begin.local();
  const auto values = matrix.values.local();
  const auto empty = matrix.empty_columns.local();
  const std::span<const std::uint32_t> slots(plan.slots);
  Sums sums;
  for (std::size_t i = 0; i < next.size(); ++i) {
    const std::size_t first = row_begin[i];
    const std::size_t count = row_begin[i + 1] - first;
    next[i] = jump + damping * row_product(values.subspan(first, count),
                                           slots.subspan(first, count), buffer.data());
    sums.change += std::abs(next[i] - buffer[i]);
    sums.idle += empty[i] != 0 ? next[i] : 0;
  }
  return sums;
}

void gather_scores(armature::World& world, const DistributedMatrix& matrix,
                   const armature::Piece<double>& x, std::vector<double>& scores) {
  if (world.rank() == 0) {
    scores.resize(matrix.blocks.rows());
    for (int rank = 0; rank < world.size(); ++rank) {
      armature::get(scores.data() + matrix.blocks.first(rank), x.on(rank),
                    matrix.blocks.rows(rank));
    }
  }
  world.barrier();
}

void gather_counts(armature::World& world, const FetchPlan& plan, double seconds,
                   ParallelRun& run) {
  const auto ranks = static_cast<std::size_t>(world.size());
  const auto iterations = static_cast<std::uint64_t>(run.ranking.iterations);
  std::vector<std::uint64_t> bytes_from(ranks);
  FetchCount mine;
  for (const FetchPlan::Part& part : plan.parts) {
    const std::uint64_t gets = part.elements.size() * iterations;
    bytes_from[static_cast<std::size_t>(part.owner)] = gets * sizeof(double);
    mine.gets += gets;
  }
  const bool one_wait = plan.fetching == Fetching::one_by_one && !plan.parts.empty();
  mine.waits = iterations * (one_wait ? 1 : plan.parts.size());
  mine.bytes = mine.gets * sizeof(double);
  mine.seconds = seconds;
  run.counts = allgather(world, mine);
  run.bytes_from.resize(ranks * ranks);
  allgather(world, std::span<const std::uint64_t>(bytes_from), std::span(run.bytes_from));
}

}  // namespace

ParallelRun parallel_pagerank(armature::World& world, const DistributedMatrix& matrix,
                              Fetching fetching, const RankingOptions& options,
                              const OnIteration& on_iteration) {
  const FetchPlan plan = plan_fetching(matrix, world.rank(), fetching);
  const auto everyone = static_cast<double>(matrix.blocks.rows());
  auto x = world.allocate<double>(plan.own);
  auto next = world.allocate<double>(plan.own);
  std::vector<double> buffer(plan.buffer_size);

  Sums sums;
  const auto own_x = x.local();
  std::fill(own_x.begin(), own_x.end(), 1 / everyone);
  for (const std::uint8_t empty : matrix.empty_columns.local()) sums.idle += empty / everyone;
  world.barrier();
  sums = sum_over_ranks(world, sums);

  ParallelRun run;
  double fetching_seconds = 0;
  const double start = seconds_now();
  do {
    const double jump = (1 - options.damping + options.damping * sums.idle) / everyone;
    const double fetch_start = seconds_now();
    std::copy_n(x.local().begin(), plan.own, buffer.begin());
    fetch(plan, x, buffer);
    fetching_seconds += seconds_now() - fetch_start;
    sums = multiply(matrix, plan, options.damping, jump, buffer, next.local());
    world.barrier();  // all have read x and written their part of the next one
    sums = sum_over_ranks(world, sums);
    std::swap(x, next);
    on_iteration(++run.ranking.iterations, sums.change);
  } while (sums.change >= options.tolerance && run.ranking.iterations < options.iterations_max);
  run.seconds = seconds_now() - start;
  run.ranking.change = sums.change;

  gather_scores(world, matrix, x, run.ranking.scores);
  gather_counts(world, plan, fetching_seconds, run);
  world.free(x);
  world.free(next);
  return run;
}

}  // namespace pagerank
