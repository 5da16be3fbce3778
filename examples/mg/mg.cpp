// NAS MG: a Poisson problem on a periodic cube solved by multigrid V-cycles, after the
// specification of the NAS parallel benchmarks, on one-sided memory:
//
//   armature run -n 4 mg [--class S|W|A|B|C] [--compare] [--json FILE]
//
// The kernels (kernels.cpp) and the V-cycle (v_cycle.hpp) are those of a plain program. What is
// parallel is how ghosts become current: rank_grids.cpp, by non-blocking strided puts. The L2 norm
// of the last residual is checked against the published one. --compare then runs the plain program
// on rank 0, for its time. bench/peers/mg is the same program by message passing. --json writes the
// time as a row for figure 21 of ARMCI's paper (armci-rma-2006), "-" being the standard output.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <armature/armature.hpp>
#include <armature/clock.hpp>

#include "figures/rows.hpp"
#include "outcome.hpp"
#include "problem.hpp"
#include "rank_grids.hpp"
#include "whole_grids.hpp"

namespace {

struct Options {
  mg::ProblemClass problem = mg::find_class("S");
  bool compare = false;
  std::string json;
};

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--compare") {
      options.compare = true;
    } else if (option == "--class" && i + 1 < argc) {
      options.problem = mg::find_class(argv[++i]);
    } else if (option == "--json" && i + 1 < argc) {
      options.json = argv[++i];
    } else {
      throw std::invalid_argument("unknown or incomplete option " + std::string(option));
    }
  }
  return options;
}

/// Seconds; those of the simulated clock in a simulation.
double clock_s() { return 1e-9 * static_cast<double>(armature::clock_ns()); }

mg::Outcome solve_on_ranks(armature::World& world, const mg::ProblemClass& problem) {
  mg::RankGrids grids(world, problem);
  const mg::Box box = grids.box(problem.levels);
  std::vector<double> memory(mg::Grid::footprint(box.extent));
  const mg::Grid charges(memory.data(), box.extent);
  mg::Extremes extremes;
  for (const auto& candidates : allgather(world, mg::find_extremes(problem.edge(), box))) {
    extremes.merge(candidates);
  }
  mg::place_charges(charges, problem.edge(), box, extremes);
  return mg::time_solve(
      grids, charges, problem.iterations, [&] { world.barrier(); }, clock_s);
}

mg::Outcome solve_plainly(const mg::ProblemClass& problem) {
  const mg::Box box{.origin = {}, .extent = mg::WholeGrids::whole(problem.levels)};
  std::vector<double> memory(mg::WholeGrids::footprint(problem.levels));
  std::vector<double> charge_memory(mg::Grid::footprint(box.extent));
  mg::WholeGrids grids(memory.data(), problem.levels, problem.smoother);
  const mg::Grid charges(charge_memory.data(), box.extent);
  mg::place_charges(charges, problem.edge(), box, mg::find_extremes(problem.edge(), box));
  return mg::time_solve(
      grids, charges, problem.iterations, [] {}, clock_s);
}

void write_row(const Options& options, int ranks, double seconds) {
  figures::Rows rows;
  rows.add({"armci-rma-2006.21", std::to_string(ranks),
            std::string("one-sided, class ") + options.problem.name, seconds, "s"});
  rows.write(options.json);
}

int solve(armature::World& world, int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const mg::ProblemClass& problem = options.problem;
  if (world.rank() == 0) {
    fmt::print("NAS MG class {}: {}^3 cells, {} iterations, {} rank(s)\n", problem.name,
               problem.edge(), problem.iterations, world.size());
  }
  const mg::Outcome outcome = solve_on_ranks(world, problem);
  bool good = true;
  if (world.rank() == 0) {
    good = mg::report("one-sided", problem, outcome);
    if (options.compare)
      good = mg::report("plain, one rank", problem, solve_plainly(problem)) && good;
    write_row(options, world.size(), outcome.seconds);
    fmt::print("{}VERIFIED\n", good ? "" : "NOT ");
  }
  world.barrier();  // the other ranks sleep here during the comparison
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [argc, argv](armature::World& world) {
    try {
      return solve(world, argc, argv);
    } catch (const std::invalid_argument& error) {  // all ranks have the same arguments
      if (world.rank() == 0) fmt::print(stderr, "mg: {}\n", error.what());
      return 2;
    }
  });
}
