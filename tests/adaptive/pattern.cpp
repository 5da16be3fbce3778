// A program whose pattern of communication changes midway: reductions of one length, then of
// another. `armature run --collectives adaptive` learns the best way of each while it runs.
//
// What members choose is not told by time here, but by what must be: results are right in every
// way, and all members choose alike; else they would wait for messages that nobody sends. What is
// learned is tested beside the code (src/team/learner_test.cpp).
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <armature/armature.hpp>

namespace {

/// Small whole numbers: their sums are the same in any order.
bool reduces_rightly(armature::World& world, std::size_t count, int call) {
  std::vector<double> data(count);
  for (std::size_t i = 0; i < count; ++i)
    data[i] = static_cast<double>((i + static_cast<std::size_t>(call)) % 7 + world.rank());
  const auto ranks = static_cast<double>(world.size());
  armature::allreduce(world, data);
  for (std::size_t i = 0; i < count; ++i)
    if (data[i] != ranks * static_cast<double>((i + static_cast<std::size_t>(call)) % 7) +
                       ranks * (ranks - 1) / 2)
      return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](armature::World& world) {
    const int calls = argc > 1 ? std::atoi(argv[1]) : 100;
    // The first call of all: in it members agree whether they learn, though one alone has the sum.
    std::vector<int> ones(2000, 1);
    armature::reduce(world, ones, 0);
    int wrong = world.rank() != 0 || ones.back() == world.size() ? 0 : 1;
    for (const std::size_t count : {std::size_t{1500}, std::size_t{40'000}, std::size_t{1500}})
      for (int call = 0; call < calls; ++call) wrong += reduces_rightly(world, count, call) ? 0 : 1;
    const int all_wrong = armature::allreduce(world, wrong);
    if (world.rank() == 0) std::printf("%d calls of two lengths, %d wrong\n", 3 * calls, all_wrong);
    return all_wrong == 0 ? 0 : 1;
  });
}
