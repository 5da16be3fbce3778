// Ranks that wait for rank 0 some times, in phases with a name, and then end as the argument says:
// last_events sleep|crash|throw.
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string_view>

#include <armature/armature.hpp>
#include <armature/trace.hpp>

namespace {

constexpr int rounds = 5;
constexpr unsigned slow_us = 20'000;

[[gnu::noinline]] void write_to(volatile int* address) { *address = 1; }

void work(armature::World& world) {
  for (int round = 0; round < rounds; ++round) {
    const armature::trace_phase phase("round <&>");
    if (world.rank() == 0) usleep(slow_us);
    world.barrier();
    armature::trace_counter("rounds", round);
  }
}

void end(armature::World& world, std::string_view how) {
  if (world.rank() == 1 && how == "crash") write_to(reinterpret_cast<int*>(0x123456789000));
  if (world.rank() == 1 && how == "throw") throw std::runtime_error("thrown");
  if (world.rank() == 0) {
    for (int rank = 1; rank < world.size(); ++rank) armature::wait_notify(rank);
    std::puts("worked");
    std::fflush(stdout);
    sleep(1000);
  } else {
    armature::notify(0);
  }
  world.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](armature::World& world) {
    work(world);
    end(world, argc > 1 ? argv[1] : "sleep");
    return 0;
  });
}
