// Blocked LU factorisation without pivoting, the SPLASH-2 kernel, on one-sided memory:
//
//   armature run -n 4 lu [--n 2048] [--block 32] [--no-threads]
//                         [--distribution block-cyclic|node-cyclic|block]
//   armature run -n 8 --virtual --nodes 2 --elastic --copy-every 1 lu --meet 4
//
// The matrix is spread over the ranks' global memory (layout.hpp); in each step a rank fetches the
// perimeter blocks it needs with non-blocking gets (rank_matrix.cpp: strided ones under
// --distribution block) and updates its own (factor.hpp). The factors are checked, and the same
// code then runs on as many threads of one process, for comparison. With --meet K all ranks meet at
// every K steps: then nodes may come and go (armature join), and copies in memory are made.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <armature/armature.hpp>
#include <armature/clock.hpp>

#include "factor.hpp"
#include "lu_threads.hpp"
#include "rank_matrix.hpp"

namespace {

constexpr double residual_max = 1e-10;

struct Options {
  lu::Layout::Shape shape{.n = 2048, .block = 32};
  bool threads = true;
  int meets_every = 0;  // steps; 0: never
};

int parse_size(std::string_view option, const char* text) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*end != '\0' || value < 1 || value > 65536) {
    throw std::invalid_argument(std::string(option) + " wants a number from 1 to 65536, not '" +
                                text + "'");
  }
  return static_cast<int>(value);
}

Options parse_options(int argc, char** argv, int ranks) {
  Options options;
  options.shape.ranks = ranks;
  options.shape.nodes = armature::domain_count(armature::Domain::smp);
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--no-threads") {
      options.threads = false;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument(std::string(option) + " wants a value");
    const char* value = argv[++i];
    if (option == "--n") {
      options.shape.n = parse_size(option, value);
    } else if (option == "--block") {
      options.shape.block = parse_size(option, value);
    } else if (option == "--meet") {
      options.meets_every = parse_size(option, value);
    } else if (option == "--distribution") {
      options.shape.distribution = lu::parse_distribution(value);
    } else {
      throw std::invalid_argument("no option " + std::string(option));
    }
  }
  return options;
}

void print_outcome(const char* name, int n, lu::Outcome outcome) {
  const double operations = 2.0 / 3.0 * n * n * n;
  fmt::print("{:<14} {:9.4f} s  {:6.2f} Gflop/s  residual {:.1e}\n", name, outcome.seconds,
             operations / outcome.seconds * 1e-9, outcome.residual);
  std::fflush(stdout);
}

lu::Outcome factor_with_ranks(armature::World& world, const lu::Layout& layout, int meets_every) {
  lu::RankMatrix matrix(world, layout, meets_every);
  matrix.fill();
  world.barrier();
  const std::uint64_t start_ns = armature::clock_ns();  // in a simulation, the simulated clock
  lu::Factorisation(matrix).run();
  const double seconds = 1e-9 * static_cast<double>(armature::clock_ns() - start_ns);
  const lu::Outcome outcome{.seconds = seconds, .residual = matrix.check()};
  const auto gets = allreduce(world, matrix.traffic().gets);
  const auto bytes = allreduce(world, matrix.traffic().bytes);
  if (world.rank() == 0) {
    print_outcome("one-sided", layout.shape().n, outcome);
    fmt::print("  {} gets, {:.1f} MB, from other ranks' memory\n", gets,
               static_cast<double>(bytes) * 1e-6);
  }
  return outcome;
}

int factor(armature::World& world, int argc, char** argv) {
  const Options options = parse_options(argc, argv, world.size());
  const lu::Layout layout(options.shape);
  if (world.rank() == 0) {
    const char* const names[] = {"block-cyclic", "node-cyclic", "block"};
    fmt::print("LU of a {0} x {0} matrix, blocks of {1}, {2} over {3} rank(s)\n", options.shape.n,
               options.shape.block, names[static_cast<int>(options.shape.distribution)],
               world.size());
  }
  bool good = factor_with_ranks(world, layout, options.meets_every).residual <=
              residual_max;  // false for NaN too
  if (options.threads && world.rank() == 0) {
    const lu::Outcome plain = lu::factor_with_threads(layout);
    print_outcome("plain threads", options.shape.n, plain);
    good = good && plain.residual <= residual_max;
  }
  if (world.rank() == 0) fmt::print("RESIDUAL {}\n", good ? "OK" : "TOO LARGE");
  world.barrier();  // the other ranks sleep here while the threads run
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [argc, argv](armature::World& world) {
    try {
      return factor(world, argc, argv);
    } catch (const std::invalid_argument& error) {  // all ranks have the same arguments
      if (world.rank() == 0) fmt::print(stderr, "lu: {}\n", error.what());
      return 2;
    }
  });
}
