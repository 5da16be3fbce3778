// Liquid water, molecule by molecule: the simulation of ARMCI's paper on clusters of nodes with
// several processors (armci-smp-clusters-2000, figure 7), small.
//
//   armature run -n 4 water [--cells 4] [--steps 1000] [--settle 500] [--deal bricks|scattered]
//                           [--series NAME] [--json FILE]
//
// The box has that many cells along each side, and 27 molecules a cell. They settle for so many
// steps, in which they are kept at 300 K; then they are left alone, and their energy must stay. It
// prints by how much it does not, and a fingerprint of where all are: the same on any number of
// ranks. Positions are got and forces accumulated, one-sidedly (simulation.hpp). Bytes that go from
// rank to rank are counted, and those between nodes among them:
//
//   armature run -n 4 --nodes 4 water                              the network alone
//   armature run -n 4 --nodes 2 water --deal scattered             with memory on the node
//   armature run -n 4 --record-links links water --deal scattered --steps 10
//   armature run -n 4 --nodes 2 --place links water --deal scattered   and permuted
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include <armature/armature.hpp>
#include <armature/clock.hpp>

#include "dealing.hpp"
#include "figures/rows.hpp"
#include "simulation.hpp"

namespace {

using armature::World;

constexpr const char* figure = "armci-smp-clusters-2000.7";
constexpr double drift_max = 1e-4;
constexpr int steps_between = 10;  // looks at the energy

struct Options {
  int cells = 4;
  int steps = 1000;
  int settle = 500;
  water::Order order = water::Order::bricks;
  std::string series = "water";
  std::string json;
};

int parse_count(std::string_view option, std::string_view text) {
  int count = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || rest != text.data() + text.size() || count < 0)
    throw std::invalid_argument(std::string(option) + " wants a number, not '" + std::string(text) +
                                "'");
  return count;
}

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(std::string(option) + ": a value is missing");
    const char* const value = argv[i + 1];
    if (option == "--cells") {
      options.cells = parse_count(option, value);
    } else if (option == "--steps") {
      options.steps = parse_count(option, value);
    } else if (option == "--settle") {
      options.settle = parse_count(option, value);
    } else if (option == "--deal") {
      options.order = water::parse_order(value);
    } else if (option == "--series") {
      options.series = value;
    } else if (option == "--json") {
      options.json = value;
    } else {
      throw std::invalid_argument("no option " + std::string(option));
    }
  }
  return options;
}

struct Outcome {
  double seconds = 0;
  double drift = 0;  // the largest change of the total energy, as a part of it
  water::Energies last;
  water::Traffic traffic;
};

Outcome run_steps(World& world, water::Simulation& water, const Options& options) {
  for (int step = 0; step < options.settle; ++step) {
    if (step % steps_between == 0) water.set_warmth();
    water.step();
  }
  const water::Traffic before = water.traffic();
  const double energy = water.energies().total();
  Outcome outcome{.last = water.energies()};
  world.barrier();
  const std::uint64_t start_ns = armature::clock_ns();  // in a simulation, the simulated clock
  for (int step = 1; step <= options.steps; ++step) {
    water.step();
    if (step % steps_between != 0 && step != options.steps) continue;
    outcome.last = water.energies();
    outcome.drift = std::max(outcome.drift, std::abs((outcome.last.total() - energy) / energy));
  }
  outcome.seconds = 1e-9 * static_cast<double>(armature::clock_ns() - start_ns);
  const water::Traffic after = water.traffic();
  outcome.traffic = {after.between_ranks - before.between_ranks,
                     after.between_nodes - before.between_nodes};
  return outcome;
}

void write_rows(const Options& options, int ranks, const Outcome& outcome) {
  const std::string x = std::to_string(ranks);
  figures::Rows rows;
  rows.add({figure, x, options.series, outcome.seconds, "s"});
  rows.add({std::string(figure) + "-bytes", x, options.series,
            1e-6 * static_cast<double>(outcome.traffic.between_nodes), "MB"});
  rows.write(options.json);
}

int run(World& world, const Options& options) {
  const water::Dealing dealing(options.cells, world.size(), options.order);
  water::Simulation water(world, dealing);
  const Outcome outcome = run_steps(world, water, options);
  const std::int64_t molecules = water.molecules();
  const std::uint64_t fingerprint = water.fingerprint();
  const bool good = outcome.drift <= drift_max;
  if (world.rank() == 0) {
    const auto each = static_cast<double>(molecules);
    std::printf(
        "%lld molecules, %d ranks: %d steps in %.3f s; %.1f MB between ranks, %.1f MB "
        "between nodes\n",
        static_cast<long long>(molecules), world.size(), options.steps, outcome.seconds,
        1e-6 * static_cast<double>(outcome.traffic.between_ranks),
        1e-6 * static_cast<double>(outcome.traffic.between_nodes));
    std::printf("a molecule has %.9f kcal/mol, %.3f of it potential; trajectory %016llx\n",
                outcome.last.total() / each, outcome.last.potential / each,
                static_cast<unsigned long long>(fingerprint));
    std::printf("energy drifts by %.1e: %s\n", outcome.drift, good ? "kept" : "LOST");
    write_rows(options, world.size(), outcome);
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [argc, argv](World& world) {
    try {
      return run(world, parse_options(argc, argv));
    } catch (const std::invalid_argument& error) {  // the same on all ranks
      if (world.rank() == 0) std::fprintf(stderr, "water: %s\n", error.what());
      return 2;
    }
  });
}
