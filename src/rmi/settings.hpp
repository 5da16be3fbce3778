#pragma once

#include <cstddef>
#include <cstdint>

#include "armature/rmi_settings.hpp"

namespace armature::rmi {

using Settings = RmiSettings;

/// The defaults, and what the launcher was told instead. Throws Error(start) naming a variable that
/// makes no sense.
Settings settings_at_start();
/// Throws Error(bad_argument).
void check(const Settings& settings);

}  // namespace armature::rmi
