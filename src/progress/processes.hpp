#pragma once

#include "space/control.hpp"

namespace armature::progress {

/// Wakes all processes of the job that host virtual ranks; from anywhere that has mapped the block.
void wake_processes(const space::Control& control);

}  // namespace armature::progress
