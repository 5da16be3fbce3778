// armci-on-charm-2006, figure 2: module A starts modules B and C on all ranks. B and C know nothing
// of each other. Each computes and waits for its neighbours in turn; while one waits, the other
// computes. Prints what each takes alone, and both together.
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <armature/armature.hpp>
#include <armature/clock.hpp>

namespace {

constexpr int steps = 100;

double seconds_of(auto run) {
  const std::uint64_t begin_ns = armature::clock_ns();
  run();
  return static_cast<double>(armature::clock_ns() - begin_ns) * 1e-9;
}

/// Makes its sum better by what all ranks say, step by step.
double iterate(armature::World& world, int work) {
  double sum = 1;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < work; ++i) sum += std::cos(sum);
    sum = allreduce(world, sum) / world.size();
  }
  return sum;
}

void b(armature::World& world) { (void)iterate(world, 4000); }
void c(armature::World& world) { (void)iterate(world, 5000); }

/// Module A.
void a(armature::World& world) {
  const double b_alone = seconds_of([&] { b(world); });
  const double c_alone = seconds_of([&] { c(world); });
  const double together = seconds_of([&] {
    armature::Module first = world.start_module(b);
    armature::Module second = world.start_module(c);
    first.wait();
    second.wait();
  });
  if (world.rank() == 0)
    std::printf("B %.4f s, C %.4f s, both together %.4f s\n", b_alone, c_alone, together);
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) { a(world); });
}
