// Half of the ranks has all the work, and every TURN steps it is the other half's. It prints a
// number that depends on all that ranks have, and not on where they were. At each step it asks
// whether ranks are to be rebalanced, if it is told so.
//
//   virtual_uneven STEPS TURN [when_due]
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rebalance.hpp>

#include "checks.hpp"

namespace {

using armature::World;

std::uint64_t mixed(std::uint64_t sum, std::uint64_t value) {
  sum = (sum ^ value) * 0x9e37'79b9'7f4a'7c15;
  return sum ^ sum >> 31;
}

std::uint64_t work(World& world, int steps, int turn, bool asks) {
  std::uint64_t sum = static_cast<std::uint64_t>(world.rank()) + 1;
  std::vector<std::vector<std::uint64_t>> memory;
  for (int step = 0; step < steps; ++step) {
    const bool is_first_half = world.rank() < world.size() / 2;
    if (is_first_half == (step / turn % 2 == 0)) compute(std::chrono::microseconds(300));
    memory.emplace_back(1 + sum % 100, sum);
    if (memory.size() > 20) memory.erase(memory.begin());
    for (const std::uint64_t word : memory[sum % memory.size()]) sum = mixed(sum, word);
    sum = mixed(sum, allreduce(world, sum));
    if (asks) (void)armature::rebalance(world, {.log = true, .when_due = true});
  }
  return allreduce(world, sum);
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 200,
            turn = argc > 2 ? std::atoi(argv[2]) : 1000;
  const bool asks = argc > 3;
  return armature::run(argc, argv, [=](World& world) {
    const std::uint64_t result = work(world, steps, turn, asks);
    if (world.rank() == 0) {
      std::printf("result %016llx\n", static_cast<unsigned long long>(result));
      std::fflush(stdout);
    }
    return 0;
  });
}
