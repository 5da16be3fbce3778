#pragma once

#include "space/control.hpp"

namespace armature {

/// Says what a process on valgrind is in for when nobody has seen to small segments, as where a
/// script has started valgrind.
void warn_of_segments_on_valgrind(const space::ControlHeader& job);

}  // namespace armature
