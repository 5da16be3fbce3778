// Ranks of which some, that lie together, have much more to do than the others, and other ones from
// time to time: what `--balance` is for.
#include <cstdint>

#include <armature/armature.hpp>

#include "bench/rows.hpp"

namespace armature::tools::bench {

namespace {

constexpr int steps = 60, steps_at_a_place = 15;
constexpr std::uint64_t turns_of_unit = 20'000;  // some 10 us
// Of a quarter of the ranks, of the others, and of each when all have the same: as much together.
constexpr std::uint64_t units_hot = 13, units_cold = 1, units_even = 4;

void compute(std::uint64_t units) {
  std::uint64_t word = hidden(std::uint64_t{1});
  for (std::uint64_t i = units * turns_of_unit; i > 0; --i) word = word * 6364136223846793005 + i;
  keep(word);
}

bool is_hot(int rank, int ranks, int step) {
  const int begin = step / steps_at_a_place * ranks * 3 / 8;
  return (rank - begin % ranks + ranks) % ranks < ranks / 4;
}

}  // namespace

void hotspot_row(Stage& stage, const std::string& op) {
  World& world = stage.world();
  const int rank = world.rank(), ranks = world.size();
  stage.together(
      {op, 0, steps},
      [&] {
        for (int step = 0; step < steps; ++step) {
          compute(is_hot(rank, ranks, step) ? units_hot : units_cold);
          world.barrier();
        }
      },
      [&] {
        for (int step = 0; step < steps; ++step) {
          compute(units_even);
          world.barrier();
        }
      });
}

}  // namespace armature::tools::bench
