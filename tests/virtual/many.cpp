// Thousands of ranks in a process meet in collectives, allocate, and call each other. Each of them
// has a bounded amount of memory of its own, however many others there are that it does not speak
// with.
//
//   many            all of that
//   many created    they meet, and end
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::World;

// Per rank, all told: with what it takes to be there, and after it has called others.
constexpr double created_max_kib = 16, called_max_kib = 64;

struct Counter {
  int counted = 0;
  int count() { return ++counted; }
};

/// Reads the figure of this process.
double resident_kib() {
  std::ifstream file("/proc/self/status");
  std::string word;
  while (file >> word)
    if (double kib = 0; word == "VmRSS:" && file >> kib) return kib;
  return 0;
}

/// Checks the bound where all ranks are in one process. One looks, as looking takes memory itself.
void require_bound(const World& world, double before_kib, double max_kib, const char* when) {
  if (armature::hosting_processes() > 1) return;
  world.barrier();
  if (world.rank() == 0) {
    const double each = (resident_kib() - before_kib) / world.size();
    std::printf("%s: %.1f KiB resident a rank\n", when, each);
    require(each <= max_kib, "a rank has more memory than it may");
  }
  world.barrier();
}

/// Changes a number, in the ring of 64 bits: two in a row are a change again, and which comes first
/// counts.
struct Change {
  std::uint64_t factor, summand;
  explicit Change(int rank)
      : factor(2 * static_cast<unsigned>(rank) + 3), summand(factor * factor) {}
  Change() = default;
  bool operator==(const Change&) const = default;
};

Change in_order(const Change& a, const Change& b) {
  Change both = b;
  both.factor *= a.factor;
  both.summand += a.summand * b.factor;
  return both;
}

void reduce_in_order(World& world) {
  Change all(0);
  for (int rank = 1; rank < world.size(); ++rank) all = in_order(all, Change(rank));
  const Change reduced = allreduce(world, Change(world.rank()), in_order);
  require(reduced == all, "a reduction is not in the order of the ranks");
  const Change before = exclusive_scan(world, Change(world.rank()), Change(world.size()), in_order);
  const Change with_me = scan(world, Change(world.rank()), in_order);
  Change expected(world.size()), expected_with_me(0);
  for (int rank = 0; rank < world.rank(); ++rank) expected = in_order(expected, Change(rank));
  for (int rank = 1; rank <= world.rank(); ++rank)
    expected_with_me = in_order(expected_with_me, Change(rank));
  require(before == expected && with_me == expected_with_me,
          "a scan is not in the order of the ranks");
}

/// Allocates as much for each, then more for some than for others.
void allocate(World& world) {
  const auto words_of = [](int rank) { return static_cast<std::size_t>(rank % 7 + 1); };
  const int me = world.rank(), far = (me * 17 + 5) % world.size();
  auto even = world.allocate<int>(1);
  auto uneven = world.allocate<int>(words_of(me));
  even[0] = me;
  uneven[words_of(me) - 1] = me;
  world.barrier();
  require(armature::get(even.on(far)) == far, "a piece of another rank is elsewhere");
  require(uneven.size(far) == words_of(far), "a piece of another rank has another size");
  require(armature::get(uneven.on(far) + words_of(far) - 1) == far,
          "a larger piece of another rank is elsewhere");
  world.free(even);
  world.free(uneven);
}

}  // namespace

int main(int argc, char** argv) {
  const double before_kib = resident_kib();
  const bool only_created = argc > 1 && std::string(argv[1]) == "created";
  return armature::run(argc, argv, [before_kib, only_created](World& world) {
    const int ranks = world.size(), right = (world.rank() + 1) % ranks;
    require_bound(world, before_kib, created_max_kib, "created");
    if (only_created) return;

    require(allreduce(world, 1L) == ranks, "a rank was lost in a reduction");
    require(broadcast(world, world.rank() + 7, ranks - 1) == ranks + 6, "a broadcast went astray");
    const int before = scan(world, 1);
    require(before == world.rank() + 1, "a scan went astray");

    armature::shared<Counter> counter(world);
    counter.async(right, &Counter::count);
    armature::rmi_fence();
    require(counter->counted >= 1, "a call was lost");  // the next may be there already
    require(counter.sync(right, &Counter::count) == 2, "an answer was lost");
    world.barrier();
    require(counter->counted == 2, "a call was executed twice");
    require_bound(world, before_kib, called_max_kib, "after calls");

    reduce_in_order(world);
    allocate(world);
  });
}
