// A quarter of the ranks, which begin side by side, take much longer than the others: with
// --balance each of two processes soon has half of them, and keeps it. They sleep, so that it does
// not depend on what else the machine does.
#include <chrono>
#include <cstdio>
#include <thread>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    using std::chrono_literals::operator""us;
    constexpr int steps = 40;
    const bool is_hot = world.rank() < world.size() / 4;
    int even = 0;
    for (int step = 0; step < steps; ++step) {
      const int process = armature::process_of(world.rank()).number();
      std::this_thread::sleep_for(is_hot ? 3900us : 300us);
      const int here = allreduce(world, is_hot && process == 0 ? 1 : 0);
      if (here == world.size() / 8) ++even;
    }
    if (world.rank() == 0) std::printf("evenly spread in %d of %d steps\n", even, steps);
    if (even < steps / 2) armature::abort(1, "one process has most of the work");
  });
}
