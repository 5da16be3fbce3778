// Ranks that compute without calling the library, and one that asks them: with service threads the
// answers come meanwhile, and nothing is lost or runs twice.
//
//   computing MS
//
// They compute for MS milliseconds, or until all questions have been executed.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "armature/armature.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Counter {
  std::atomic<long> count = 0;
  long add(long n) { return count += n; }
};

}  // namespace

int main(int argc, char** argv) {
  const std::chrono::milliseconds time(argc > 1 ? std::atoi(argv[1]) : 500);
  return armature::run(argc, argv, [time](armature::World& world) {
    armature::shared<Counter> counter(world);
    world.barrier();
    // One end for all, by the node's clock: one that left the barrier earlier would answer earlier.
    const auto begin = broadcast(world, Clock::now(), 0);
    const auto end = begin + time;
    constexpr int questions = 50;
    const long expected = world.rank() == 0 ? 0 : 2 * questions;
    bool in_time = true;
    if (world.rank() != 0) {
      while (Clock::now() < end && counter->count < expected) {
      }
    } else {
      for (int i = 0; i < questions; ++i)
        for (int rank = 1; rank < world.size(); ++rank) {
          counter.async(rank, &Counter::add, 1);
          (void)counter.sync(rank, &Counter::add, 1);
        }
      in_time = Clock::now() < end;
      std::printf(
          "answers after %lld ms\n",
          static_cast<long long>(
              std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count()));
    }
    armature::rmi_fence();
    const bool right = allreduce(world, counter->count == expected ? 1 : 0) == world.size();
    if (world.rank() == 0)
      std::printf("%s, %s\n", right ? "all counted" : "miscounted",
                  in_time ? "while the others computed" : "only after the others had computed");
    return right ? 0 : 1;
  });
}
