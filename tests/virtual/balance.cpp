// All the work is with the ranks of one process of each node: another one there must take some of
// it, and the results be the same wherever ranks are.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::World;

/// The first of the calling rank's node.
int first_process(const World& world) {
  int first = armature::process_of(world.rank()).number();
  for (int rank = 0; rank < world.size(); ++rank)
    if (armature::same_node(world.rank(), rank))
      first = std::min(first, armature::process_of(rank).number());
  return first;
}

/// How many ranks with work are not where those of their node all began.
int moved(World& world, bool works, int first) {
  const bool is_away = armature::process_of(world.rank()).number() != first;
  return allreduce(world, works && is_away ? 1 : 0);
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](World& world) {
    require(armature::can_migrate(), "ranks cannot move here");
    const int first = first_process(world);
    const bool works = armature::process_of(world.rank()).number() == first;
    world.barrier();
    int most_moved = 0;
    std::int64_t sum = 0;
    for (int step = 0; step < 60; ++step) {
      if (works) compute(std::chrono::microseconds(1000));
      sum += allreduce(world, std::int64_t{step} * world.rank());
      most_moved = std::max(most_moved, moved(world, works, first));
    }
    const std::int64_t ranks = world.size();
    require(sum == 60 * 59 / 2 * (ranks * (ranks - 1) / 2), "a sum is wrong");
    if (world.rank() == 0) std::printf("%d ranks with work have moved\n", most_moved);
    require(most_moved > 0, "the other process had nothing to do and took no rank");

    // A rank that must stay stays.
    const armature::Pinned stays;
    const auto home = armature::process_of(world.rank());
    for (int step = 0; step < 20; ++step) {
      if (works) compute(std::chrono::microseconds(500));
      world.barrier();
      require(armature::process_of(world.rank()) == home, "a rank that must stay was moved");
    }
  });
}
