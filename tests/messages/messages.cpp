// Collective operations, each a number of times, and when rank 0 began and ended each: count.py
// looks at what travelled between the nodes meanwhile.
#include <chrono>
#include <cstdio>

#include <armature/armature.hpp>
#include <armature/rmi.hpp>

namespace {

constexpr int times = 40;

long long now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Operation>
void repeat(armature::World& world, const char* name, Operation operation) {
  for (int i = 0; i < 3; ++i) operation(i);
  const long long begun = now_ns();
  for (int i = 0; i < times; ++i) operation(i);
  if (world.rank() == 0) std::printf("%s %d %lld %lld\n", name, times, begun, now_ns());
}

int body(armature::World& world) {
  double sum = 0;
  repeat(world, "barrier", [&](int) { world.barrier(); });
  repeat(world, "broadcast", [&](int i) { sum += broadcast(world, 1.0 * i, i % world.size()); });
  repeat(world, "allreduce", [&](int) { sum += allreduce(world, 1.0); });
  repeat(world, "fence", [&](int) { armature::rmi_fence(); });
  world.barrier();  // nobody leaves, and tells the others so, before rank 0 has seen the end
  return sum > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return armature::run(argc, argv, body); }
