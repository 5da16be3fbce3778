#pragma once

#include <cstdint>
#include <ctime>

namespace armature::base {

/// What takes the clock's place in a simulation; set while nothing else runs.
inline std::uint64_t (*clock_override)() = nullptr;

/// CLOCK_MONOTONIC in nanoseconds: the same for all processes of a node.
inline std::uint64_t now_ns() {
  if (clock_override != nullptr) return clock_override();
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace armature::base
