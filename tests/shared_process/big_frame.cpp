// A local array that does not fit the stack, and of which the far end alone is used: big_frame KIB.
#include <alloca.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <armature/armature.hpp>

/// Compiled without the compiler's probes: the stack's guard alone must find this.
[[gnu::noinline]] static long far_end_of_array(std::size_t bytes) {
  auto* const array = static_cast<long*>(alloca(bytes));
  for (int i = 0; i < 512; ++i) array[i] = -1;
  asm volatile("" : : "r"(array) : "memory");
  return array[17];
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::size_t bytes = std::strtoul(argv[1], nullptr, 10) << 10;
  return armature::run(argc, argv, [bytes](armature::World& world) {
    world.barrier();
    if (world.rank() == world.size() / 2) (void)far_end_of_array(bytes);
    world.barrier();
    if (world.rank() == 0) std::puts("nobody has noticed");
  });
}
