#pragma once

#include <cstdint>

#include "armature/detail/export.hpp"

namespace armature {

/// Nanoseconds since some moment, the same for all ranks of a node: CLOCK_MONOTONIC, but the
/// simulation's own clock in a simulation, where all that is measured is repeated, too. Anywhere,
/// also outside of a job.
[[nodiscard]] ARMATURE_API std::uint64_t clock_ns();

namespace detail {
/// Another number where clock_ns() counts from another moment, or time has gone by that nobody saw:
/// on another node, and when the job goes on from a checkpoint. Throws Error(misuse) outside run().
[[nodiscard]] ARMATURE_API std::uint64_t clock_number();
}  // namespace detail

}  // namespace armature
