#pragma once

#include "armature/detail/export.hpp"

// Threads of a rank that call in its name, as MPI_THREAD_MULTIPLE has it (MPI 4.1, 11.6). What such
// threads may call without this: docs/guide/threads.md.

namespace armature::layer {

/// From now on a thread that the program has started may make a collective call while the rank's
/// own thread waits in another call, and any two threads may notify at one time. Collective calls
/// themselves stay one at a time: the layer has a lock for them. By the rank's own thread, before
/// others call. The process has one rank: throws Error(misuse) elsewhere, and outside run().
ARMATURE_API void let_threads_call_beside_waits();

}  // namespace armature::layer
