#pragma once

#include <cstddef>
#include <cstdint>

#include "armature/rmi_settings.hpp"

namespace armature::rmi {

using Settings = RmiSettings;

/// The defaults, and what the launcher was told instead. Throws Error(start) naming a variable that
/// makes no sense. `takes_turns`: the rank is one of several on a thread.
Settings settings_at_start(bool takes_turns);
/// How many threads may run concurrent methods beside that which executes the rank's calls.
std::size_t method_threads_at_start();
inline constexpr std::uint32_t method_threads_max = 64;
/// Throws Error(bad_argument).
void check(const Settings& settings);

}  // namespace armature::rmi
