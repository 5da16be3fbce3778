// NAS MG as examples/mg solves it, by message passing instead of one-sided memory:
//
//   mpirun -n 4 mg_openmpi [--class S|W|A|B|C] [--json FILE]
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "figures/rows.hpp"
#include "mpi_grids.hpp"
#include "outcome.hpp"

namespace {

struct Options {
  mg::ProblemClass problem = mg::find_class("S");
  std::string json;
};

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--class") {
      options.problem = mg::find_class(argv[i + 1]);
    } else if (option == "--json") {
      options.json = argv[i + 1];
    } else {
      throw std::invalid_argument("no option " + std::string(option));
    }
  }
  if (argc % 2 == 0)
    throw std::invalid_argument(std::string(argv[argc - 1]) + ": a value is missing");
  return options;
}

mg::Extremes all_extremes(const mg::Extremes& mine, int ranks) {
  static_assert(std::is_trivially_copyable_v<mg::Extremes>);
  std::vector<mg::Extremes> each(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, each.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  mg::Extremes all;
  for (const mg::Extremes& some : each) all.merge(some);
  return all;
}

int solve(int argc, char** argv) {
  int me = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Options options = parse_options(argc, argv);
  const mg::ProblemClass& problem = options.problem;
  mg::MpiGrids grids(problem);
  const mg::Box box = grids.box(problem.levels);
  std::vector<double> memory(mg::Grid::footprint(box.extent));
  const mg::Grid charges(memory.data(), box.extent);
  const mg::Extremes extremes = all_extremes(mg::find_extremes(problem.edge(), box), ranks);
  mg::place_charges(charges, problem.edge(), box, extremes);
  const mg::Outcome outcome = mg::time_solve(
      grids, charges, problem.iterations, [] { MPI_Barrier(MPI_COMM_WORLD); }, MPI_Wtime);
  if (me != 0) return 0;
  std::printf("NAS MG class %c: %d^3 cells, %d iterations, %d rank(s)\n", problem.name,
              problem.edge(), problem.iterations, ranks);
  const bool good = mg::report("messages, " MPI_NAME, problem, outcome);
  figures::Rows rows;
  rows.add({"armci-rma-2006.21", std::to_string(ranks),
            std::string(MPI_NAME ", class ") + problem.name, outcome.seconds, "s"});
  rows.write(options.json);
  std::printf("%s\n", good ? "VERIFIED: everything is right" : "NOT VERIFIED");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 2;
  try {
    status = solve(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mg: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  MPI_Finalize();
  return status;
}
