#pragma once

#include <string>

#include "armature/detail/export.hpp"

// Writing a job of virtual ranks to disk while it runs, to go on from there another day with
// `armature restart`, on as many processes as one likes.

namespace armature {

/// Collective over all ranks: writes all that they have (stacks, heaps, what they allocated for
/// others, their rank_local variables, calls under way) to `directory`, or without one to that of
/// `armature run --checkpoint`. All remote calls made before, and those that they made, are
/// executed first, as by rmi_fence; then all ranks stand still until it is on disk. Until it is
/// complete there, the checkpoint before stays the last one.
///
/// Returns false when the job goes on, true when it has been restarted from here. Globals, files
/// and what `main` has made before `run` are the process's and are not written: after a restart
/// `main` has run again up to `run`. Throws on all ranks: Error(misuse) when ranks are not virtual,
/// cannot move, or one holds something that cannot (StaysHere); Error(bad_argument) without a
/// directory; Error(rank_lost) when a rank has died; Error(corrupt) when it cannot be written, the
/// message says why. The job may go on after each.
ARMATURE_API bool checkpoint(const std::string& directory = {});

}  // namespace armature
