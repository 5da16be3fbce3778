// Ranks that wait for rank 0 some times, in phases with a name, and then end as the argument says:
// last_events sleep|learns|crash|throw. One that learns makes long reductions before it sleeps.
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <vector>

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

/// As many as are enough to try each way, and to choose one.
void learn(armature::World& world) {
  constexpr int calls = 20;
  std::vector<double> data(10'000, 1);
  for (int call = 0; call < calls; ++call) armature::allreduce(world, data);
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
    const std::string_view how = argc > 1 ? argv[1] : "sleep";
    work(world);
    if (how == "learns") learn(world);
    end(world, how);
    return 0;
  });
}
