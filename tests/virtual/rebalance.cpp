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

namespace {

using armature::World;

void require(bool good, const char* what) {
  if (!good) armature::abort(1, what);
}

/// Keeps the thread busy.
void compute(std::chrono::microseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// The first half of the ranks, which begins in one process, has all the work.
void work(World& world) {
  const bool works = world.rank() < world.size() / 2;
  for (int step = 0; step < 20; ++step) {
    if (works) compute(std::chrono::microseconds(500));
    const std::int64_t sum = world.allreduce(std::int64_t{step} * world.rank());
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
      (void)armature::rebalance(world, {.strategy = armature::balance::none});  // begins anew
      work(world);
      const auto verdict =
          armature::rebalance(world, {.strategy = armature::balance::strategy(name), .log = true});
      const int here = workers_in(world, 0);
      require(verdict.moved > 0 && here > 0 && here < world.size() / 2, name);
      require(verdict.most < 1.7 * verdict.mean, "it is not balanced");
      world.barrier();
    }
    // Who must stay stays, and one's own function is asked.
    come_together(world);
    {
      const armature::StaysHere stays;
      work(world);
      const auto all_to_last = [](const armature::balance::Problem& problem) {
        return armature::balance::Plan(problem.items.size(), problem.places - 1);
      };
      const auto verdict = armature::rebalance(world, {.strategy = all_to_last});
      require(verdict.moved == 0 && workers_in(world, 0) == world.size() / 2,
              "who must stay was moved");
      world.barrier();
    }
    // Where there are more processes than before, ranks go there; not on several nodes.
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
