// Three programs that never end, each for one of the usual reasons, to see how it is explained:
//
//   armature run -n 3 --stall 2 deadlock mutexes
//   armature run -n 3 --stall 2 deadlock barrier
//   armature run -n 3 --stall 2 deadlock notify
//
// While one hangs, `armature inspect` in another terminal says the same. Ctrl-C ends it.
#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>

#include <armature/armature.hpp>

namespace {

/// Ranks 0 and 1 lock the same two mutexes, each its own first. All others wait for them.
void lock_in_opposite_order(armature::World& world) {
  const auto mutexes = world.create_mutexes(1);
  if (world.rank() < 2) {
    const int mine = world.rank(), other = 1 - mine;
    const auto first = mutexes.guard(mine, 0);
    // Both say that they hold their first: now each wants the other's.
    armature::notify(other);
    armature::wait_notify(other);
    const auto second = mutexes.guard(other, 0);
  }
  world.barrier();
}

/// The last rank has something better to do than to enter the barrier.
void forget_a_barrier(armature::World& world) {
  if (world.rank() == world.size() - 1) std::this_thread::sleep_for(std::chrono::hours(24));
  world.barrier();
}

/// Rank 1 waits for a signal that rank 0 never sends: it is through already.
void forget_to_notify(armature::World& world) {
  if (world.rank() == 1) armature::wait_notify(0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc == 2 ? argv[1] : "";
  if (mode != "mutexes" && mode != "barrier" && mode != "notify") {
    std::fprintf(stderr, "usage: deadlock mutexes | barrier | notify\n");
    return 2;
  }
  return armature::run(argc, argv, [mode](armature::World& world) {
    if (world.size() < 2) {
      std::printf("A deadlock takes two: start it with armature run -n 2\n");
      return;
    }
    if (mode == "mutexes") lock_in_opposite_order(world);
    if (mode == "barrier") forget_a_barrier(world);
    if (mode == "notify") forget_to_notify(world);
  });
}
