#pragma once

#include <chrono>

namespace armature::bootstrap {

inline constexpr const char* start_timeout_variable = "ARMATURE_START_TIMEOUT";

/// How long a process waits for the others to join the job before it gives up with a message:
/// 300 s, or what ARMATURE_START_TIMEOUT says in seconds. Throws Error(start) when that is not a
/// number.
std::chrono::milliseconds start_timeout();

}  // namespace armature::bootstrap
