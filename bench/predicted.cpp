// Programs whose time `armature bench predict` measures, and has predicted. All their computing is
// armature::compute: a real run sleeps for it, so that as many ranks as there are compute side by
// side on any number of cores.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <armature/armature.hpp>
#include <armature/clock.hpp>
#include <armature/compute.hpp>
#include <armature/object_array.hpp>
#include <armature/object_array/rebalance.hpp>
#include <armature/operators.hpp>

#include "bench/hotspot.hpp"
#include "bench/rows.hpp"
#include "bench/sample.hpp"

namespace armature::bench {
namespace {

constexpr double computed_s = 10e-3;  // by each rank in a step
constexpr double unit_s = 2e-3;       // of the hot spot

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("bench: a wrong result of ") + what);
}

/// Nanoseconds of a step, of the slowest rank. The clock is the one of a simulation, where it is
/// one.
template <class Step>
double step_ns(World& world, int steps, Step&& step) {
  step(0);  // which connects
  world.barrier();
  const std::uint64_t begun_ns = clock_ns();
  for (int i = 1; i <= steps; ++i) step(i);
  const auto took_ns = static_cast<double>(clock_ns() - begun_ns);
  return allreduce(world, took_ns, Maximum{}) / steps;
}

/// Each rank puts to both neighbours, waits for theirs, and computes.
double halo_ns(World& world, int steps) {
  constexpr std::ptrdiff_t count = 1024;
  auto piece = world.allocate<double>(4 * count);
  const int me = world.rank(), size = world.size();
  const int left = (me + size - 1) % size, right = (me + 1) % size;
  return step_ns(world, steps, [&](int step) {
    // Two of each, in turn: a neighbour may be one step ahead.
    const std::ptrdiff_t half = step % 2 == 0 ? 0 : 2 * count;
    const std::vector<double> mine(count, 1000.0 * step + me);
    put(piece.on(right) + half, mine);
    notify(Rank(right));
    put(piece.on(left) + (half + count), mine);
    notify(Rank(left));
    wait_notify(Rank(left));
    wait_notify(Rank(right));
    const auto at = static_cast<std::size_t>(half);
    expect(piece[at] == 1000.0 * step + left, "a halo from the left");
    expect(piece[at + 2 * count - 1] == 1000.0 * step + right, "a halo from the right");
    compute(computed_s);
  });
}

double allreduce_ns(World& world, int steps) {
  return step_ns(world, steps, [&](int step) {
    compute(computed_s);
    const double sum = allreduce(world, static_cast<double>(step));
    expect(sum == static_cast<double>(step) * world.size(), "an allreduce");
  });
}

double alltoall_ns(World& world, int steps) {
  constexpr std::size_t count = 128;
  const auto size = static_cast<std::size_t>(world.size());
  const std::vector<double> mine(count * size, world.rank());
  std::vector<double> all(count * size);
  return step_ns(world, steps, [&](int /*step*/) {
    compute(computed_s);
    alltoall(world, mine, all);
    for (std::size_t other = 0; other < size; ++other)
      expect(all[other * count] == static_cast<double>(other), "an alltoall");
  });
}

/// An element of the hot spot.
struct Spot {
  int done = 0;
  void define_type(typer& type) { type.local(done); }
  void step(double seconds) {
    compute(seconds);
    ++done;
  }
  [[nodiscard]] int steps_done() const { return done; }
};

/// A quarter of the elements, which lie together, computes much more. After some steps elements go
/// where there is time for them, and that is part of what is measured.
double hotspot_ns(World& world, int steps) {
  constexpr int of_rank = 4;
  const int elements = of_rank * world.size(), first = of_rank * world.rank();
  object_array<Spot, int> spots(world, all_indices(elements));
  spots.measure(true);
  balance::Verdict verdict;
  std::vector<int> mine(of_rank);
  std::iota(mine.begin(), mine.end(), first);
  const int before = std::max(steps / 8, 1);
  const double ns = step_ns(world, steps, [&](int step) {
    if (step == before) {
      verdict = rebalance(spots, {.strategy = balance::greedy});
      // The rank's own elements come last: what computes here holds up what is sent behind it.
      std::ranges::partition(mine, [&](int i) { return spots[i].member() != world.rank(); });
    }
    for (const int i : mine) {
      const auto units = HotSpot::is_hot(i, elements, 0) ? HotSpot::units_hot : HotSpot::units_cold;
      spots[i].async(&Spot::step, unit_s * static_cast<double>(units));
    }
    spots.fence();
  });
  expect(verdict.moved > 0, "a rebalance");
  expect(spots[first].sync(&Spot::steps_done) == steps + 1, "the hot spot");
  world.barrier();
  return ns;
}

/// A put and a word of the other rank, to and fro: what one message takes, and what its bytes take.
void network_rows(World& world, const Settings& settings, const std::string& tail) {
  constexpr std::size_t most = std::size_t{1} << 20;
  auto piece = world.allocate<std::byte>(most);
  const std::vector<std::byte> data(most);
  for (const std::size_t bytes : {std::size_t{8}, most}) {
    const auto one_way = [&](bool mine) {
      const Rank other(1 - world.rank());
      if (!mine) return (void)wait_notify(other);
      put(piece.on(other), std::span(data).first(bytes));
      notify(other);
    };
    // The median: what other programs do on the machine makes messages of a real run late, too.
    std::vector<double> trips;
    for (int trip = 0; trip < 20; ++trip)
      trips.push_back(step_ns(world, 1, [&](int /*step*/) {
        one_way(world.rank() == 0);
        one_way(world.rank() == 1);
      }));
    const double ns = median(std::move(trips)) / 2;
    settings.report({.op = "message" + tail, .bytes = bytes, .ns = ns, .limit_ns = {}});
  }
}

}  // namespace

void predicted_rows(World& world, const Settings& settings) {
  const std::string tail = ".p" + std::to_string(world.size());
  const int steps = settings.effort.batches >= 60 ? 24 : 8;
  const auto row = [&](const char* name, double (*measure_ns)(World&, int)) {
    if (!wanted(settings.only, name + tail)) return;
    const double ns = measure_ns(world, steps);
    if (world.rank() == 0)
      settings.report({.op = name + tail, .bytes = 0, .ns = ns, .limit_ns = {}});
  };
  if (!settings.only.empty() && settings.only.front() == "message") {
    network_rows(world, settings, tail);
    return;
  }
  row("halo", halo_ns);
  row("allreduce", allreduce_ns);
  row("alltoall", alltoall_ns);
  row("hotspot", hotspot_ns);
}

}  // namespace armature::bench
