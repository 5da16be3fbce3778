#pragma once

#include <cstdint>

#include "base/random.hpp"

namespace armature::transport::sim {

/// How bad it is in this run, as its seed decides: how often something is late, and how much.
struct FaultRates {
  FaultRates(base::Random& random, std::uint64_t long_ns_range)
      : on_time(static_cast<double>(random.below(10)) / 10),
        long_delays(random.chance(0.5) ? 0.05 : 0),
        clogging(random.chance(0.5) ? static_cast<double>(random.below(30)) / 100 : 0),
        short_ns(100 + random.below(5'000)),
        long_ns(10'000 + random.below(long_ns_range)) {}

  [[nodiscard]] std::uint64_t delay_ns(base::Random& random) const {
    if (random.chance(on_time)) return 0;
    return random.below(random.chance(long_delays) ? long_ns : short_ns);
  }

  double on_time;      // how often there is no delay
  double long_delays;  // how often it is a long one
  double clogging;     // how often there seems to be no room
  std::uint64_t short_ns, long_ns;
};

}  // namespace armature::transport::sim
