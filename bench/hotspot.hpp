#pragma once

#include <cstdint>

namespace armature::bench {

// A spot of ranks that lie together and have much more to do than the others; after some steps
// other ranks are it.
struct HotSpot {
  static constexpr int steps_at_a_place = 15;
  // Units of a quarter of the ranks, of the others, and of each when all have the same: the sums
  // are equal.
  static constexpr std::uint64_t units_hot = 13, units_cold = 1, units_even = 4;

  static bool is_hot(int rank, int ranks, int place) {
    const int begin = place * ranks * 3 / 8;
    return (rank - begin % ranks + ranks) % ranks < ranks / 4;
  }
  /// Some 10 us for each.
  static void compute(std::uint64_t units);
};

}  // namespace armature::bench
