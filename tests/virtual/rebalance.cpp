// Ranks whose work is far from even go where the strategies say: by what they have computed, which
// is measured once somebody has asked. Results do not depend on it.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rebalance.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::World;

/// The first half of the ranks, which begins in one process, has all the work.
void work(World& world) {
  const bool works = world.rank() < world.size() / 2;
  for (int step = 0; step < 20; ++step) {
    if (works) compute(std::chrono::microseconds(500));
    const std::int64_t sum = allreduce(world, std::int64_t{step} * world.rank());
    require(sum == std::int64_t{step} * world.size() * (world.size() - 1) / 2, "a sum is wrong");
  }
}

/// Ranks with work that are in that process.
int workers_in(World& world, int process) {
  int count = 0;
  for (int rank = 0; rank < world.size() / 2; ++rank)
    count += armature::process_of(rank).number() == process ? 1 : 0;
  return count;
}

/// Pairs that call each other, which begin in unlike processes, end in one.
void pairs_meet(World& world) {
  armature::migrate_together(armature::ProcessId(world.rank() % 2));
  (void)armature::rebalance(world, {.strategy = armature::balance::none});
  const int other = world.rank() ^ 1;
  for (int call = 0; call < 100; ++call) armature::async(other, [] {});
  armature::rmi_fence();
  // Measured loads depend on the machine's other work.
  const auto as_if_equal = [&](armature::balance::Problem problem) {
    require(problem.groups.empty() == armature::same_node(0, 1), "nodes are not told");
    for (armature::balance::Item& item : problem.items) item.load = 1;
    return armature::balance::communication(problem);
  };
  const auto verdict = armature::rebalance(world, {.strategy = as_if_equal, .log = true});
  require(armature::process_of(world.rank()) == armature::process_of(other), "a pair is apart");
  require(verdict.moved > 0 && verdict.cut < 1, "the plan is another one");
  world.barrier();
}

/// The rank that makes the plan fails: so does the call, at all ranks, and the next one is as any
/// other.
void failures_reach_all(World& world) {
  const auto fails = [](const armature::balance::Problem&) -> armature::balance::Plan {
    throw armature::Error(armature::Errc::misuse, "not today");
  };
  work(world);
  try {
    (void)armature::rebalance(world, {.strategy = fails});
    require(false, "it did not fail");
  } catch (const armature::Error& error) {
    require(
        error.code() == (world.rank() == 0 ? armature::Errc::misuse : armature::Errc::bad_argument),
        "it fails otherwise");
  }
}

void come_together(World& world) {
  armature::migrate_together(armature::ProcessId(world.rank() < world.size() / 2 ? 0 : 1));
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](World& world) {
    // Nothing is known at first.
    const auto before = armature::rebalance(world, {.log = true});
    require(before.moved == 0, "somebody has moved for no reason");
    for (const char* name : {"greedy", "refine", "chosen", "distributed", "hierarchical"}) {
      come_together(world);
      (void)armature::rebalance(world, {.strategy = armature::balance::none});  // starts again
      work(world);
      const auto verdict =
          armature::rebalance(world, {.strategy = armature::balance::strategy(name), .log = true});
      const int here = workers_in(world, 0);
      require(verdict.moved > 0 && here > 0 && here < world.size() / 2, name);
      require(verdict.most < 1.7 * verdict.mean, "it is not balanced");
      world.barrier();
    }
    pairs_meet(world);
    failures_reach_all(world);
    // A rank that must stay stays, and one's own function is asked.
    come_together(world);
    {
      const armature::Pinned stays;
      work(world);
      const auto all_to_last = [](const armature::balance::Problem& problem) {
        return armature::balance::Plan(problem.items.size(), problem.places - 1);
      };
      const auto verdict = armature::rebalance(world, {.strategy = all_to_last});
      require(verdict.moved == 0 && workers_in(world, 0) == world.size() / 2,
              "who must stay was moved");
      world.barrier();
    }
    // Ranks go where there are more processes than before; not on several nodes.
    if (!armature::same_node(0, world.size() - 1)) return;
    if (world.rank() == 0) armature::resize(3);
    world.barrier();
    work(world);
    (void)armature::rebalance(world, {.strategy = armature::balance::greedy, .log = true});
    require(workers_in(world, 0) + workers_in(world, 1) + workers_in(world, 2) == world.size() / 2,
            "a rank is nowhere");
    require(workers_in(world, 2) > 0, "nobody goes to the new process");
    world.barrier();
  });
}
