#pragma once

#include <cstddef>
#include <cstdint>

#include "image/plan.hpp"

namespace armature::fibers {

/// The memory areas that a hosted rank may take, as far as that can be had: its stack's guard and
/// what lies above it, and two for each image of which it has a copy.
inline constexpr std::uint64_t areas_of_rank_wanted = 6;

/// Whether the guards below stacks are memory areas, of which each makes two more. `plan`: of the
/// program, where ranks have copies of it.
bool guards_are_areas(std::uint64_t ranks, const image::Plan* plan);

/// Has whoever touches the memory below a stack end with a signal. `bytes` belong to the guard.
void guard_stack(std::byte* stack, std::uint64_t bytes, std::uint64_t ranks);

}  // namespace armature::fibers
