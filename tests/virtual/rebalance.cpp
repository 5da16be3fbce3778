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

/// The strategy, which balances: what else the machine does must not count here.
armature::balance::Strategy as_if_of_one_speed(armature::balance::Strategy strategy) {
  return [strategy](armature::balance::Problem problem) {
    problem.speeds.clear();
    const armature::balance::Plan plan = strategy(problem);
    const auto verdict = armature::balance::judge(problem, plan);
    require(verdict.most < 1.7 * verdict.mean, "it is not balanced");
    return plan;
  };
}

/// Ranks with work that are in that process.
int workers_in(World& world, int process) {
  int count = 0;
  for (int rank = 0; rank < world.size() / 2; ++rank)
    count += armature::process_of(rank).number() == process ? 1 : 0;
  return count;
}

/// Whether each rank of each pair moves so many bytes to or from the other.
bool are_linked_by(const armature::balance::Problem& problem, double bytes) {
  std::vector<double> of_pairs(problem.items.size() / 2);
  for (const armature::balance::Link& link : problem.links)
    if ((link.a ^ link.b) == 1) of_pairs[link.a / 2] += link.weight;
  for (const double sum : of_pairs)
    if (sum < 2 * bytes) return false;
  return true;
}

/// Pairs that call each other, or put to each other where that is recorded, and which begin in
/// unlike processes, end in one.
void pairs_meet(World& world, bool by_puts) {
  auto words = world.allocate<double>(100);
  armature::migrate_together(armature::ProcessId(world.rank() % 2));
  (void)armature::rebalance(world, {.strategy = armature::balance::none});
  const int other = world.rank() ^ 1;
  const std::vector<double> some(100);
  for (int call = 0; call < 100; ++call) {
    if (by_puts)
      armature::put(words.on(other), some);
    else
      armature::async(other, [] {});
  }
  armature::rmi_fence();
  // Measured loads depend on the machine's other work.
  const auto as_if_equal = [&](armature::balance::Problem problem) {
    require(problem.groups.empty() == armature::same_node(0, 1), "nodes are not told");
    require(by_puts == are_linked_by(problem, 80'000), "other links than the puts");
    for (armature::balance::Item& item : problem.items) item.load = 1;
    problem.speeds.clear();
    return armature::balance::communication(problem);
  };
  const auto verdict = armature::rebalance(world, {.strategy = as_if_equal, .log = true});
  require(armature::process_of(world.rank()) == armature::process_of(other), "a pair is apart");
  require(verdict.moved > 0 && verdict.cut < (by_puts ? 80'000 : 1), "the plan is another one");
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
  const bool puts = argc > 1;
  return armature::run(argc, argv, [puts](World& world) {
    // Nothing is known at first.
    const auto before = armature::rebalance(world, {.log = true});
    require(before.moved == 0, "somebody has moved for no reason");
    for (const char* name : {"greedy", "refine", "chosen", "distributed", "hierarchical"}) {
      come_together(world);
      (void)armature::rebalance(world, {.strategy = armature::balance::none});  // starts again
      work(world);
      const auto verdict = armature::rebalance(
          world, {.strategy = as_if_of_one_speed(armature::balance::strategy(name)), .log = true});
      const int here = workers_in(world, 0);
      require(verdict.moved > 0 && here > 0 && here < world.size() / 2, name);
      world.barrier();
    }
    pairs_meet(world, puts);
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
    const auto greedy = [](armature::balance::Problem problem) {
      problem.speeds.clear();  // of a busy machine
      return armature::balance::greedy(problem);
    };
    (void)armature::rebalance(world, {.strategy = greedy, .log = true});
    require(workers_in(world, 0) + workers_in(world, 1) + workers_in(world, 2) == world.size() / 2,
            "a rank is nowhere");
    require(workers_in(world, 2) > 0, "nobody goes to the new process");
    world.barrier();
  });
}
