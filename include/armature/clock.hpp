#pragma once

#include <cstdint>

#include "armature/detail/export.hpp"

namespace armature {

/// Nanoseconds since some moment, the same for all ranks of a node: CLOCK_MONOTONIC, but the
/// simulation's own clock in a simulation, where all that is measured is repeated, too. Anywhere,
/// also outside of a job.
[[nodiscard]] ARMATURE_API std::uint64_t clock_ns();

}  // namespace armature
