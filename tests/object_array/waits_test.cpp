#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <armature/clock.hpp>
#include <armature/object_array.hpp>
#include <armature/object_array/rebalance.hpp>

#include "conformance.hpp"

using namespace conformance;
using armature::object_array;

namespace element_loads {

void work_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// Whether computing takes time by the clock: not in a simulation.
bool clock_counts_computing() {
  const std::uint64_t begun_ns = armature::clock_ns();
  work_for(std::chrono::milliseconds(2));
  return armature::clock_ns() - begun_ns >= 1'000'000;
}

/// Computes, or waits for another rank that sleeps.
struct Worker {
  void work(bool computes) {
    const int other = (armature::world().rank() + 1) % armature::world().size();
    if (computes) return work_for(std::chrono::milliseconds(20));
    armature::sync(other, [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  }
};

}  // namespace element_loads

using element_loads::Worker;

TEST(ObjectArrayLoads, time_in_which_an_element_waits_is_no_load) {
  // A rank alone would wait for what it does itself.
  if (ranks() == 1 || !element_loads::clock_counts_computing()) return;
  object_array<Worker, int> workers(world(), armature::all_indices(2 * ranks()));
  workers.measure(true);
  world().barrier();
  // Elements with even numbers compute for 20 ms, the others wait as long for another rank.
  for (const int index : {2 * me(), 2 * me() + 1})
    workers[index].async(&Worker::work, index % 2 == 0);
  workers.fence();
  const auto look = [](const armature::balance::Problem& problem) {
    double computing = 0, waiting = 0;
    // The elements of a member come in any order.
    std::vector<double> loads;
    for (const auto& item : problem.items) loads.push_back(item.load);
    std::ranges::sort(loads);
    for (std::size_t i = 0; i < loads.size(); ++i)
      (i < loads.size() / 2 ? waiting : computing) += loads[i];
    EXPECT_GE(computing, 0.02 * static_cast<double>(loads.size() / 2));
    EXPECT_LT(waiting, computing / 2);
    return armature::balance::none(problem);
  };
  (void)armature::rebalance(workers, {.strategy = look});
  world().barrier();
}
