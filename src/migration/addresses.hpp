#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "space/control.hpp"

// A rank can go on in another process if there all that it refers to lies where it did. That is
// code, statics, what belongs to the thread, the C library's secrets
// (bootstrap/address_layout.hpp).

namespace armature::migration {

/// Takes down which libraries are there now: their places and builds are compared, and no others'.
/// Not called: those that are there when it is compared.
void note_modules();
/// A number made of all that must be alike. `places` are of the program.
[[nodiscard]] std::uint64_t sum_of_addresses(const space::ControlHeader& job,
                                             std::span<const void* const> places);
/// Compares the number with that of the others of the node. Called by each process as it joins.
[[nodiscard]] bool compare_addresses(space::ControlHeader& job, std::uint64_t sum);
/// Makes this process one of the job, and tells the others. Where addresses differ, no rank moves
/// any more.
void join_job(space::ControlHeader& job, bool same_addresses);

/// Why a rank cannot go on in another process of this job, by itself on its node, or when all take
/// part on another one; nullptr when it can. For when all processes have compared.
[[nodiscard]] const char* why_not_move(const space::ControlHeader& job);
/// Why what ranks have cannot be written for processes of another start.
[[nodiscard]] const char* why_not_write(const space::ControlHeader& job);
/// Why a job of several nodes cannot go on in more processes, or fewer, which are started anew for
/// that; nullptr when it can.
[[nodiscard]] const char* why_not_restart(const space::ControlHeader& job);

/// The numbers that the C library keeps secret and that lie on the stacks of ranks: those that come
/// back from a checkpoint must find them again. 32 digits.
[[nodiscard]] std::string secrets_text();

}  // namespace armature::migration
