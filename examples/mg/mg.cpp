// NAS MG: a Poisson problem on a periodic cube solved by multigrid V-cycles, after the
// specification of the NAS parallel benchmarks, on one-sided memory:
//
//   armature run -n 4 mg [--class S|W|A] [--compare]
//
// The kernels (kernels.cpp) and the V-cycle (v_cycle.hpp) are those of a plain program. What is
// parallel is how ghosts become current: rank_grids.cpp, by non-blocking strided puts. The L2 norm
// of the last residual is checked against the published one. --compare then runs the plain program
// on rank 0, for its time.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <armature/armature.hpp>

#include "problem.hpp"
#include "rank_grids.hpp"
#include "v_cycle.hpp"
#include "whole_grids.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  mg::ProblemClass problem = mg::find_class("S");
  bool compare = false;
};

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--compare") {
      options.compare = true;
    } else if (option == "--class" && i + 1 < argc) {
      options.problem = mg::find_class(argv[++i]);
    } else {
      throw std::invalid_argument("unknown or incomplete option " + std::string(option));
    }
  }
  return options;
}

struct Outcome {
  double seconds = 0.0;
  double norm = 0.0;
};

// One iteration untimed, to touch all memory, as the benchmark prescribes; then the problem itself.
template <class Hierarchy, class Barrier>
Outcome time_solve(Hierarchy& hierarchy, mg::Grid charges, int iterations, Barrier barrier) {
  mg::solve(hierarchy, charges, 1);
  barrier();
  const auto start = Clock::now();
  const double norm = mg::solve(hierarchy, charges, iterations);
  barrier();
  return {.seconds = std::chrono::duration<double>(Clock::now() - start).count(), .norm = norm};
}

Outcome solve_on_ranks(armature::World& world, const mg::ProblemClass& problem) {
  mg::RankGrids grids(world, problem.levels);
  const mg::Box box = grids.box(problem.levels);
  std::vector<double> memory(mg::Grid::footprint(box.extent));
  const mg::Grid charges(memory.data(), box.extent);
  mg::Extremes extremes;
  for (const auto& candidates : allgather(world, mg::find_extremes(problem.edge(), box))) {
    extremes.merge(candidates);
  }
  mg::place_charges(charges, problem.edge(), box, extremes);
  return time_solve(grids, charges, problem.iterations, [&] { world.barrier(); });
}

Outcome solve_plainly(const mg::ProblemClass& problem) {
  const mg::Box box{.origin = {}, .extent = mg::WholeGrids::whole(problem.levels)};
  std::vector<double> memory(mg::WholeGrids::footprint(problem.levels));
  std::vector<double> charge_memory(mg::Grid::footprint(box.extent));
  mg::WholeGrids grids(memory.data(), problem.levels);
  const mg::Grid charges(charge_memory.data(), box.extent);
  mg::place_charges(charges, problem.edge(), box, mg::find_extremes(problem.edge(), box));
  return time_solve(grids, charges, problem.iterations, [] {});
}

// Prints a line and says whether the norm is the published one.
bool report(const char* name, const mg::ProblemClass& problem, const Outcome& outcome) {
  // 58 operations per cell and iteration: the benchmark's own count.
  const double operations = 58.0 * problem.iterations * problem.cells();
  const double error = std::abs(outcome.norm - problem.norm) / problem.norm;
  fmt::print("{:<16} {:8.4f} s  {:8.1f} Mop/s  L2 norm {:.13e}  (off by {:.1e})\n", name,
             outcome.seconds, operations / outcome.seconds * 1e-6, outcome.norm, error);
  std::fflush(stdout);
  return error <= 1e-8;
}

int solve(armature::World& world, int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const mg::ProblemClass& problem = options.problem;
  if (world.rank() == 0) {
    fmt::print("NAS MG class {}: {}^3 cells, {} iterations, {} rank(s)\n", problem.name,
               problem.edge(), problem.iterations, world.size());
  }
  const Outcome outcome = solve_on_ranks(world, problem);
  bool good = true;
  if (world.rank() == 0) {
    good = report("one-sided", problem, outcome);
    if (options.compare) good = report("plain, one rank", problem, solve_plainly(problem)) && good;
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
