#pragma once

#include <cstdint>
#include <ctime>

#include "base/simulated.hpp"

namespace armature::base {

/// CLOCK_MONOTONIC in nanoseconds, also in a simulation: the same for all processes of a node.
inline std::uint64_t now_of_machine_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(t.tv_nsec);
}

/// The machine's time, or a simulation's own.
inline std::uint64_t now_ns() {
  return simulated.now_ns != nullptr ? simulated.now_ns() : now_of_machine_ns();
}

}  // namespace armature::base
