// Members of a large team wait together in each process. Who is released has its turn as soon as
// one that is notified: before others of its process have many, which may be long.
//
//   virtual_released ROUNDS
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::World;

int went = 0;  // from a barrier, of this process's members, in all rounds

/// Takes turns without end beside those that wait, and counts how many it has after each release.
void take_turns(int members, int rounds, const std::atomic_ref<int>& released) {
  for (int round = 1; round <= rounds; ++round) {
    while (released.load(std::memory_order_acquire) < round) armature::yield();
    // Each turn lets one member look, where notifiers do not work.
    for (int turn = 0; turn < members && went < members * round; ++turn) armature::yield();
    require(went >= members * round, "who was released has its turn before others have many");
  }
}

/// The last rank is in no team, and told of each release by the first, which makes it.
void body(World& world, int rounds) {
  const int last = world.size() - 1;
  int members = 0;  // in the last process
  for (int rank = 0; rank < last; ++rank)
    members += armature::process_of(rank) == armature::process_of(last) ? 1 : 0;
  require(members > 1, "several wait beside the last rank");
  auto word = world.allocate<int>(1);
  const armature::Team team = world.split(world.rank() == last ? 1 : 0, world.rank());
  if (world.rank() == last) {
    take_turns(members, rounds, std::atomic_ref(word[0]));
    std::printf("%d rounds: well\n", rounds);
  }
  for (int round = 1; round <= rounds && world.rank() != last; ++round) {
    team.barrier();
    ++went;
    if (world.rank() == 0) armature::put(word.on(last), round);
  }
  world.barrier();
  world.free(word);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  return armature::run(argc, argv, [&](World& world) { body(world, rounds); });
}
