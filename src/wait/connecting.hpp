#pragma once

#include "space/control.hpp"

namespace armature::wait {

/// A process that joins its job connects to others before any of its ranks begins. It tells so in
/// the wait records of the ranks that it hosts at first: `armature inspect` and the launcher know
/// from it that the program has called armature::run. A rank that goes on from a checkpoint keeps
/// its record. By the process's main thread, until ranks begin.
void tell_connecting(space::RankSlot& slot, int to_rank = -1);  // -1: to all
/// It has connected: from now on the record is the rank's own.
void tell_connected(space::RankSlot& slot);

}  // namespace armature::wait
