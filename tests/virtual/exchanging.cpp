// The strategy `distributed` for ranks: one rank of each process exchanges loads with those of
// others, and none knows many. Ranks with all the work, which begin in the first processes, spread;
// those that must stay stay; a process in which nobody is gets some.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rebalance.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::World;

/// The first quarter has all the work.
bool works(World& world, int rank) { return rank < world.size() / 4; }

void work(World& world) {
  for (int step = 0; step < 10; ++step) {
    if (works(world, world.rank())) compute(std::chrono::microseconds(100));
    const std::int64_t sum = allreduce(world, std::int64_t{step} * world.rank());
    require(sum == std::int64_t{step} * world.size() * (world.size() - 1) / 2, "a sum is wrong");
  }
}

/// In how many processes those with work are.
int processes_at_work(World& world) {
  std::vector<bool> has(static_cast<std::size_t>(world.size()));
  for (int rank = 0; rank < world.size() / 4; ++rank)
    has[static_cast<std::size_t>(armature::process_of(rank).number())] = true;
  return static_cast<int>(std::count(has.begin(), has.end(), true));
}

void expect_to_spread(World& world, int processes) {
  const int before = processes_at_work(world);
  work(world);
  const auto verdict = armature::rebalance(
      world, {.strategy = armature::balance::strategy("distributed"), .log = true});
  // How even that is depends on how fast the machine's other work leaves these processes.
  require(verdict.moved > 0 && verdict.mean > 0, "nobody moves");
  require(processes_at_work(world) > before, "they are where they were");
  // Other programs may make a process so slow that nobody goes there.
  require(processes_at_work(world) >= processes / 2, "few processes have work");
  world.barrier();
}

void expect_to_stay(World& world) {
  const armature::Pinned stays;
  const int before = armature::process_of(world.rank()).number();
  work(world);
  const auto verdict =
      armature::rebalance(world, {.strategy = armature::balance::strategy("distributed")});
  require(verdict.moved == 0 && armature::process_of(world.rank()).number() == before,
          "one that must stay has moved");
  world.barrier();
}

/// Ranks of many sizes, and those of the first quarter of the processes compute most.
void work_unevenly(World& world) {
  const int rank = world.rank(), parts = (works(world, rank) ? 8 : 1) * (50 + rank * 37 % 101);
  for (int step = 0; step < 4; ++step) {
    compute(parts * std::chrono::microseconds(2));
    world.barrier();
  }
}

/// How much more the most loaded process has in the end than the mean, as the ranks were measured.
double imbalance_by(World& world, int home, const char* strategy) {
  armature::migrate_together(armature::ProcessId(home));
  (void)armature::rebalance(world, {.strategy = armature::balance::none});
  work_unevenly(world);
  const auto verdict =
      armature::rebalance(world, {.strategy = armature::balance::strategy(strategy), .log = true});
  require(verdict.moved > 0 && verdict.mean > 0, "nobody moves");
  return verdict.most / verdict.mean;
}

/// Balances by rank 0, which knows all loads, and by an exchange. Loads are measured anew both
/// times, with all chance that comes from the machine's other work.
void expect_to_be_as_even(World& world) {
  const int home = armature::process_of(world.rank()).number();
  std::vector<double> ratios;
  for (int i = 0; i < 3; ++i) {
    const double central = imbalance_by(world, home, "greedy");
    const double exchanged = imbalance_by(world, home, "distributed");
    ratios.push_back(exchanged / central);
    if (world.rank() == 0)
      std::printf("imbalance %.3f, by one that knows all %.3f\n", exchanged, central);
  }
  std::ranges::sort(ratios);
  require(ratios[1] <= 1.1, "an exchange ends less even than one that knows all does");
}

}  // namespace

int main(int argc, char** argv) {
  const int processes = argc > 1 ? std::atoi(argv[1]) : 2;
  const bool compares = argc > 2 && std::string_view(argv[2]) == "compare";
  return armature::run(argc, argv, [processes, compares](World& world) {
    const auto first = armature::rebalance(
        world, {.strategy = armature::balance::strategy("distributed"), .log = true});
    require(first.moved == 0, "nothing was known");
    if (compares) return expect_to_be_as_even(world);
    expect_to_spread(world, processes);
    expect_to_stay(world);
    if (!armature::same_node(0, world.size() - 1)) return;
    // All go to one process; the others have nobody, and one rank of it speaks for each.
    armature::migrate_together(armature::ProcessId(0));
    (void)armature::rebalance(world, {.strategy = armature::balance::none});
    expect_to_spread(world, processes);
  });
}
