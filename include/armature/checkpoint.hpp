#pragma once

#include <optional>
#include <string>

#include "armature/detail/export.hpp"

// Writing a job of virtual ranks to disk while it runs, to go on from there another day with
// `armature restart`, on as many processes as one likes; and keeping it in memory, to go on at once
// when a process is killed.

namespace armature {

struct CheckpointOptions {
  /// Write only the pages that have changed since the checkpoint before, where that is known: it
  /// was incremental too, of the same processes (on several nodes: each with the same ranks), in
  /// the same directory, and all links together are not larger than a whole one. Else, and so for
  /// the first time, all is written. Default: as `armature run --checkpoint-incremental` says, or
  /// ARMATURE_CHECKPOINT_INCREMENTAL. What rank 0 says counts.
  std::optional<bool> incremental = {};
  /// For a loop that calls this in every step: only when one is due. That is every so often
  /// (`armature run --checkpoint-every`, or ARMATURE_CHECKPOINT_EVERY=10m) by rank 0's clock,
  /// counted from the last checkpoint to disk, whoever has asked for it; and once after SIGUSR2 to
  /// the launcher where that does not have it written by itself. A checkpoint in memory is made
  /// here, too, when one is due on several nodes (`armature run --copy-every`,
  /// ARMATURE_COPY_EVERY); the call returns true after the job has gone back to that. Else it
  /// returns false after one broadcast, having executed nothing and written nothing, whatever kind
  /// the ranks are.
  bool when_due = false;
};

/// Collective over all ranks: writes all that they have (stacks, heaps, what they allocated for
/// others, their rank_local variables, calls under way) to `directory`, or without one to that of
/// `armature run --checkpoint`. All remote calls made before, and those that they made, are
/// executed first, as by rmi_fence; then all ranks stand still until it is on disk. Until it is
/// complete there, the checkpoint before stays the last one.
///
/// On several nodes, all of which must reach the directory, each process writes the ranks that it
/// hosts; such a checkpoint can be restarted on any number of nodes.
///
/// Returns false when the job goes on, true when it has been restarted from here, which on several
/// nodes is also how it gets more processes, or fewer (resize()). Globals, files
/// and what `main` has made before `run` are the process's and are not written: after a restart
/// `main` has run again up to `run`. Throws on all ranks: Error(misuse) when ranks are not virtual,
/// cannot move, or one holds something that cannot (StaysHere); Error(bad_argument) without a
/// directory; Error(rank_lost) when a rank has died; Error(corrupt) when it cannot be written, the
/// message says why. The job may go on after each.
ARMATURE_API bool checkpoint(const std::string& directory = {},
                             const CheckpointOptions& options = {});
/// To the directory of `armature run --checkpoint`.
ARMATURE_API bool checkpoint(const CheckpointOptions& options);
/// Whether the ranks of this job can be written: they are virtual, and their processes alike. The
/// same on all ranks, whatever one of them holds (StaysHere).
[[nodiscard]] ARMATURE_API bool can_checkpoint();

/// The same in memory, for jobs that go on when a process is killed (`armature run --on-death
/// recover`): then all ranks go back to the last such checkpoint, in the processes that are left,
/// and the job goes on from there. On several nodes each node's copy is on the next one, too. Also
/// made by checkpoint({.when_due = true}), every so often.
/// Returns false when the job goes on, true when it has gone back here. In a job that does not
/// recover, and on one node under another launcher than armature run, it does nothing and returns
/// false.
///
/// What is the process's stays as it is when ranks go back: globals, and what other libraries have
/// allocated for themselves outside of any rank. Throws as checkpoint() does.
ARMATURE_API bool checkpoint_in_memory();

}  // namespace armature
