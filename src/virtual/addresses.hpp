#pragma once

#include <span>
#include <string>

#include "space/control.hpp"

// A rank can go on in another process if there all that it refers to lies where it did: code,
// statics, what belongs to the thread, the C library's secrets. `armature run` arranges it.

namespace armature::fibers {

/// In each process as it joins: whether all these, and what the system decides, are as in the
/// others. `places` are of the program.
[[nodiscard]] bool compare_addresses(space::ControlHeader& job,
                                     std::span<const void* const> places);
/// It is of the job, and others are told so. Where addresses differ, no rank moves any more.
void join_job(space::ControlHeader& job, bool same_addresses);

/// Why a rank cannot move by itself to another process of this job; nullptr when it can. For when
/// all processes have compared.
[[nodiscard]] const char* why_not_move(const space::ControlHeader& job);
/// The same for when all ranks take part, so that they can change nodes, too.
[[nodiscard]] const char* why_not_move_together(const space::ControlHeader& job);

/// The numbers that the C library keeps secret and that lie on the stacks of ranks: those that come
/// back from a checkpoint must find them again. 32 digits.
[[nodiscard]] std::string secrets_text();

}  // namespace armature::fibers
