#pragma once

#include "space/mapping.hpp"

namespace armature::fibers {

/// Gives every rank a copy of the program in its segment (own_program.hpp), where the user wants
/// that. Before the process has any rank. Throws Error(start) where the program cannot be copied.
void make_globals_private(const space::Mapping& mapping);

}  // namespace armature::fibers
