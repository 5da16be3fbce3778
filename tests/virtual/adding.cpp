// Ranks of two nodes add to the same memory while processes ask for each other's ranks. A rank that
// has waited for the lock of a chunk keeps its turn: the network's thread may wait for that lock.
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <armature/armature.hpp>

namespace {

/// Computes for so long that the rank is worth moving.
void compute_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    constexpr std::size_t elements = 32768;
    constexpr int times = 400;
    const auto sums = world.allocate<double>(elements);
    const std::vector<double> ones(elements, 1.0);
    world.barrier();
    for (int i = 0; i < times; ++i) {
      armature::accumulate(sums.on(0), ones.data(), elements);
      compute_for(std::chrono::microseconds(100));
    }
    armature::fence_all();
    world.barrier();
    if (world.rank() != 0) return;
    const double* const all = sums.on(0).direct();
    for (std::size_t i = 0; i < elements; ++i)
      if (all[i] != times * world.size()) {
        std::printf("element %zu is %g\n", i, all[i]);
        armature::abort(1, "a sum is wrong");
      }
  });
}
