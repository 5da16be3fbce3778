#pragma once

#include "interpose/interface.hpp"
#include "space/mapping.hpp"

// Statics of functions whose initialisers wait, in processes of virtual ranks.

namespace armature::fibers {

/// Called once per process, before any rank runs: ranks wait for each other's initialisers as for
/// anything else.
void take_static_guards(const interpose::MallocLibrary& library);

/// Called when ranks have rolled back in this process, to before they began with these: the next
/// one that comes there begins. No rank runs.
void abandon_static_guards(const space::Mapping& mapping, int process);

}  // namespace armature::fibers
