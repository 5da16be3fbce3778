#pragma once

#include <optional>
#include <string>

#include "armature/detail/export.hpp"

// Checkpoints of a job of virtual ranks while it runs. From one on disk, `armature restart` goes on
// later, on any number of processes. From one in memory the job goes on at once when a process is
// killed.

namespace armature {

struct CheckpointOptions {
  /// Write only the pages that have changed since the checkpoint before, if that is known. It must
  /// have been incremental too, of the same processes, in the same directory. On several nodes each
  /// process must have the same ranks. All increments together must not be larger than a whole one.
  /// Otherwise, and so for the first time, all pages are written. Default: as `armature run
  /// --checkpoint-incremental` says, or ARMATURE_CHECKPOINT_INCREMENTAL. What rank 0 says counts.
  std::optional<bool> incremental = {};
  /// Writes a checkpoint only when one is due, for a loop that calls this in every step. One is due
  /// every so often (`armature run --checkpoint-every`, or ARMATURE_CHECKPOINT_EVERY=10m) by rank
  /// 0's clock. The interval begins at the end of the last checkpoint to disk. One is also due once
  /// after SIGUSR2 to the launcher, unless the launcher has it written by itself. On several nodes
  /// a checkpoint in memory is made here, too, when one is due (`armature run --copy-every`,
  /// ARMATURE_COPY_EVERY). The call returns true after the job has gone back to it. Else it returns
  /// false after one broadcast, having executed nothing and written nothing, whatever kind the
  /// ranks are.
  bool when_due = false;
};

/// Collective over all ranks: writes all that they have to `directory`, or without one to that of
/// `armature run --checkpoint`. That is stacks, heaps, what they allocated for others, their
/// rank_local variables, and calls under way. All remote calls made before, and those that they
/// made, are executed first, as by rmi_fence; then all ranks are quiescent until it is on disk.
/// Until it is complete there, the checkpoint before stays the last one.
///
/// On several nodes, all of which must reach the directory, each process writes the ranks that it
/// hosts; such a checkpoint can be restarted on any number of nodes.
///
/// Returns false when the job goes on, true when it has been restarted from here, which on several
/// nodes is also how it gets more processes, or fewer (resize()). Globals, files and what `main`
/// has made before `run` are the process's and are not written: after a restart `main` has run
/// again up to `run`. Throws on all ranks: Error(misuse) when ranks are not virtual, cannot move,
/// or one holds something that cannot (Pinned). Error(bad_argument) without a directory.
/// Error(rank_lost) when a rank has died. Error(corrupt) when it cannot be written; the message
/// tells why. The job may go on after each.
ARMATURE_API bool checkpoint(const std::string& directory = {},
                             const CheckpointOptions& options = {});
/// Writes to the directory of `armature run --checkpoint`.
ARMATURE_API bool checkpoint(const CheckpointOptions& options);
/// Whether the ranks of this job can be written: they are virtual, and their processes alike. The
/// same on all ranks, whatever one of them holds (Pinned).
[[nodiscard]] ARMATURE_API bool can_checkpoint();

/// Makes a checkpoint in memory, as checkpoint() makes one on disk. It is for jobs that go on when
/// a process is killed (`armature run --on-death recover`). Then all ranks go back to the last such
/// checkpoint, in the processes that are left, and go on from there. On several nodes each node's
/// copy is on the next one, too. checkpoint({.when_due = true}) makes one every so often, too.
/// Returns false when the job goes on, true when it has gone back here. In a job that does not
/// recover, and on one node under another launcher than armature run, it does nothing and returns
/// false.
///
/// Data of the process stay as they are when ranks go back: globals, and what other libraries have
/// allocated for themselves outside of any rank. Throws as checkpoint() does.
ARMATURE_API bool checkpoint_in_memory();

}  // namespace armature
