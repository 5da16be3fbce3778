#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::base {

/// The one source of chance of a simulation (SplitMix64): the same seed, the same numbers,
/// everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e37'79b9'7f4a'7c15);
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
  }
  /// 0 .. bound - 1.
  std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : next() % bound; }
  bool chance(double probability) {
    return static_cast<double>(next() >> 11) * 0x1p-53 < probability;
  }
  /// Draws one of so many, each as often as its weight(i) says.
  template <class Weight>
  std::size_t choose(std::size_t count, Weight&& weight) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += weight(i);
    std::uint64_t ticket = below(sum);
    std::size_t chosen = 0;
    while (chosen + 1 < count && ticket >= weight(chosen)) ticket -= weight(chosen++);
    return chosen;
  }

 private:
  std::uint64_t state_;
};

}  // namespace armature::base
