// Ranks of which some, that lie together, have much more to do than the others, and other ones from
// time to time: what `--balance` is for.
#include "bench/hotspot.hpp"

#include <cstdint>

#include <armature/armature.hpp>

#include "bench/rows.hpp"

namespace armature::bench {

void HotSpot::compute(std::uint64_t units) {
  constexpr std::uint64_t turns_of_unit = 20'000;
  std::uint64_t word = hidden(std::uint64_t{1});
  for (std::uint64_t i = units * turns_of_unit; i > 0; --i) word = word * 6364136223846793005 + i;
  keep(word);
}

void hotspot_row(Stage& stage, const std::string& op) {
  World& world = stage.world();
  const int rank = world.rank(), ranks = world.size();
  constexpr int steps = 4 * HotSpot::steps_at_a_place;
  stage.together(
      {op, 0, steps},
      [&] {
        for (int step = 0; step < steps; ++step) {
          const bool hot = HotSpot::is_hot(rank, ranks, step / HotSpot::steps_at_a_place);
          HotSpot::compute(hot ? HotSpot::units_hot : HotSpot::units_cold);
          world.barrier();
        }
      },
      [&] {
        for (int step = 0; step < steps; ++step) {
          HotSpot::compute(HotSpot::units_even);
          world.barrier();
        }
      });
}

}  // namespace armature::bench
