#pragma once

#include <span>

#include "space/control.hpp"

// A rank can go on in another process if there all that it refers to lies where it did: code,
// statics, what belongs to the thread, the C library's secrets. `armature run` arranges it.

namespace armature::fibers {

/// By each process as it joins: whether all these, and what the system decides, are as in the
/// others. `places` are of the program.
void compare_addresses(space::ControlHeader& job, std::span<const void* const> places);

/// Why ranks cannot move between the processes of this job; nullptr when they can. For
/// when all processes have compared.
[[nodiscard]] const char* why_not_move(const space::ControlHeader& job);

}  // namespace armature::fibers
