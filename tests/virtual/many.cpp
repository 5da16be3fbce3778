// Thousands of ranks in a process: they meet in collectives, call each other, and each of them has
// a bounded amount of memory of its own, however many others there are that it does not speak with.
//
//   many            all of that
//   many created    they meet, and end
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <armature/armature.hpp>

#include "checks.hpp"

namespace {

using armature::World;

// Per rank, all told: with what it takes to be there, and after it has called others.
constexpr double created_max_kib = 16, called_max_kib = 64;

struct Counter {
  int counted = 0;
  int count() { return ++counted; }
};

/// Of this process.
double resident_kib() {
  std::ifstream file("/proc/self/status");
  std::string word;
  while (file >> word)
    if (double kib = 0; word == "VmRSS:" && file >> kib) return kib;
  return 0;
}

/// Where all ranks are in one process. One looks, as looking takes memory itself.
void require_bound(const World& world, double before_kib, double max_kib, const char* when) {
  world.barrier();
  if (world.rank() == 0) {
    const double each = (resident_kib() - before_kib) / world.size();
    std::printf("%s: %.1f KiB resident a rank\n", when, each);
    require(each <= max_kib, "a rank has more memory than it may");
  }
  world.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  const double before_kib = resident_kib();
  const bool only_created = argc > 1 && std::string(argv[1]) == "created";
  return armature::run(argc, argv, [before_kib, only_created](World& world) {
    const int ranks = world.size(), right = (world.rank() + 1) % ranks;
    require_bound(world, before_kib, created_max_kib, "created");
    if (only_created) return;

    require(world.allreduce(1L) == ranks, "a rank was lost in a reduction");
    require(world.broadcast(world.rank() + 7, ranks - 1) == ranks + 6, "a broadcast went astray");
    const int before = world.scan(1);
    require(before == world.rank() + 1, "a scan went astray");

    armature::shared<Counter> counter(world);
    counter.async(right, &Counter::count);
    armature::rmi_fence();
    require(counter->counted >= 1, "a call was lost");  // the next may be there already
    require(counter.sync(right, &Counter::count) == 2, "an answer was lost");
    world.barrier();
    require(counter->counted == 2, "a call was executed twice");
    require_bound(world, before_kib, called_max_kib, "after calls");
  });
}
