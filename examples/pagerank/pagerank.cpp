// PageRank of Debian's package-dependency graph: the sparse matrix-vector experiment of the ARMCI
// papers on real data.
//
// Rank 0 reads the graph and hands out blocks of the matrix's rows. Then all ranks iterate twice:
// once fetching remote elements of the vector one by one, once through aggregate handles. Rank 0
// compares the scores with a serial computation, reports, and draws who fetched how much from whom.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include <armature/armature.hpp>

#include "command_line.hpp"
#include "debian/amount.hpp"
#include "debian/compact_copy.hpp"
#include "debian/first_rank.hpp"
#include "debian/graph_source.hpp"
#include "debian/output_file.hpp"
#include "debian/progress_line.hpp"
#include "distributed_matrix.hpp"
#include "heat_map.hpp"
#include "parallel_pagerank.hpp"
#include "report.hpp"
#include "serial_pagerank.hpp"

namespace pagerank {
namespace {

using debian::grouped;
using debian::ProgressLine;
using debian::succeeds_at_rank_0;

constexpr const char* program = "pagerank";

// How far rounding may take the scores from the serial ones.
constexpr double difference_max = 1e-9;

// Only rank 0 has the input.
struct Input {
  debian::PackageGraph graph;
  SparseMatrix matrix;
};

Input read_input(const CommandLine& options, ProgressLine& progress) {
  const debian::Source source = debian::find_source(options.source.file, options.source.archives);
  progress.finish("reading " + source.place + " ...");
  Input input{debian::read_graph(source), {}};
  input.matrix = link_matrix(input.graph, options.fields);
  fmt::print("{}", describe(source, input.graph));
  fmt::print("dependencies  {} ({})\n", grouped(input.matrix.nonzeros()),
             options.fields.to_string());
  std::fflush(stdout);
  return input;
}

ParallelRun run_with_progress(armature::World& world, const DistributedMatrix& matrix,
                              Fetching fetching, const RankingOptions& options,
                              ProgressLine& progress) {
  const char* name = fetching == Fetching::one_by_one ? "one by one" : "aggregated";
  const auto line = [name](int iteration, double change) {
    return fmt::format("{}: iteration {}, change {:.2e}", name, iteration, change);
  };
  ParallelRun run = parallel_pagerank(
      world, matrix, fetching, options,
      [&](int iteration, double change) { progress.update(line(iteration, change)); });
  progress.finish(line(run.ranking.iterations, run.ranking.change));
  return run;
}

void report(const CommandLine& options, const Input& input, const RowBlocks& blocks,
            const ParallelRun& one_by_one, const ParallelRun& aggregated) {
  const auto start = std::chrono::steady_clock::now();
  const Ranking serial = serial_pagerank(input.matrix, options.ranking);
  const std::chrono::duration<double> serial_seconds = std::chrono::steady_clock::now() - start;

  fmt::print("\nThe most depended-on packages:\n{}",
             top_table(input.graph, input.matrix, aggregated.ranking, 10));
  const double difference = std::max(largest_difference(one_by_one.ranking, serial),
                                     largest_difference(aggregated.ranking, serial));
  fmt::print("\nagreement     largest difference from the serial scores: {:.1e}\n", difference);
  fmt::print("iterations    {}, change in the last {:.1e}\n", aggregated.ranking.iterations,
             aggregated.ranking.change);
  fmt::print("time          one by one {:.1f} ms, aggregated {:.1f} ms, serial {:.1f} ms\n",
             1e3 * one_by_one.seconds, 1e3 * aggregated.seconds, 1e3 * serial_seconds.count());
  fmt::print("\nFetched by each rank (ms: the time it spent on that):\n{}",
             fetch_table(blocks, input.matrix, one_by_one, aggregated));
  debian::write_file(options.svg, draw(fetch_map(input.matrix, one_by_one, aggregated)));
  fmt::print("\npicture       {}\n", options.svg);
  if (!(difference <= difference_max + options.ranking.tolerance)) {
    throw std::runtime_error("the scores do not agree with the serial computation");
  }
}

void write_graph(const CommandLine& options) {
  const debian::PackageGraph graph =
      debian::read_graph(debian::find_source(options.source.file, options.source.archives));
  const std::string copy = debian::write_compact_copy(graph);
  debian::write_file(options.write_graph, copy);
  fmt::print("{}: {}\n", options.write_graph, debian::readable_bytes(copy.size()));
}

int run_rank(armature::World& world, const CommandLine& options) {
  if (!options.write_graph.empty()) {
    return succeeds_at_rank_0(world, program, [&] { write_graph(options); }) ? 0 : 1;
  }
  ProgressLine progress(world.rank() == 0);
  std::optional<Input> input;
  if (!succeeds_at_rank_0(world, program, [&] { input = read_input(options, progress); })) return 1;
  const auto matrix = distribute(world, input ? &input->matrix : nullptr);
  const auto run = [&](Fetching fetching) {
    return run_with_progress(world, matrix, fetching, options.ranking, progress);
  };
  const ParallelRun one_by_one = run(Fetching::one_by_one);
  const ParallelRun aggregated = run(Fetching::aggregated);
  const bool reported = succeeds_at_rank_0(
      world, program, [&] { report(options, *input, matrix.blocks, one_by_one, aggregated); });
  return reported ? 0 : 1;
}

}  // namespace
}  // namespace pagerank

int main(int argc, char** argv) {
  return armature::run(argc, argv, [argc, argv](armature::World& world) {
    const pagerank::ParsedCommandLine parsed =
        pagerank::parse_command_line({argv + 1, argv + argc});
    // All ranks have come to the same result.
    return parsed.message.empty() ? pagerank::run_rank(world, parsed.options)
                                  : debian::say(world, parsed);
  });
}
