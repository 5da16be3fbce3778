#pragma once

#include "armature/detail/export.hpp"

// Ranks that share a thread: `armature run --virtual` (and --simulate) makes every rank a fiber,
// and runs another one where one waits. A program needs nothing of this to run so.

namespace armature {

/// What runs a rank.
enum class RankKind {
  process,  ///< a process of its own
  thread,   ///< a thread of a process that hosts several
  fiber,    ///< the thread of its process, in turn with other ranks
};
/// What runs the calling rank. Throws Error(misuse) outside run().
[[nodiscard]] ARMATURE_API RankKind rank_kind();

/// Lets the other ranks on this thread run that are ready, if there are any; for code that looks at
/// something again and again without waiting in Armature. Calls for this rank are not executed
/// meanwhile (rmi_poll does both). Throws Error(misuse) outside run().
ARMATURE_API void yield();

}  // namespace armature
