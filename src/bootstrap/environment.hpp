#pragma once

// How a process learns which ranks of which job it hosts. The launcher hands every process the
// job's memory files as inherited descriptors and says where they are in variables. The process
// reads them once and closes what it does not need. It removes the variables, so that programs it
// starts itself do not take themselves for that rank.

namespace armature::bootstrap {

inline constexpr const char* rank_variable = "ARMATURE_RANK";  // this process's first rank
inline constexpr const char* hosted_variable = "ARMATURE_HOSTED_RANKS";  // how many it hosts
inline constexpr const char* control_variable =
    "ARMATURE_CONTROL_FD";  // descriptor of the control block
inline constexpr const char* segments_variable =
    "ARMATURE_FIRST_SEGMENT_FD";  // segment of rank r: this + r

// The number of a process that joins a job that runs. It hosts no rank yet.
inline constexpr const char* process_variable = "ARMATURE_PROCESS";

// Descriptor of a pipe to which only the launcher can write: closed when that is gone.
inline constexpr const char* launcher_variable = "ARMATURE_LAUNCHER_FD";

inline constexpr const char* store_variable = "ARMATURE_STORE_FD";  // with several nodes alone

// Virtual ranks: SIGTERM was blocked by this launcher (pid) when it started the process.
inline constexpr const char* held_by_variable = "ARMATURE_HELD_BY";

// Virtual ranks: these make what lies above the first stack of a process as long as it was in the
// processes that wrote a checkpoint.
inline constexpr const char* padding_variable = "ARMATURE_PADDING";
inline constexpr const char* even_variable = "ARMATURE_EVEN";

// Other launchers: the job's ranks are virtual, and so many.
inline constexpr const char* virtual_variable = "ARMATURE_VIRTUAL";

// Virtual ranks: whether each is to have globals of its own, "on" or "off"; unset: on for programs
// whose main is the ranks' (door_program.hpp).
inline constexpr const char* private_globals_variable = "ARMATURE_PRIVATE_GLOBALS";

// Other launchers: ranks go on from this checkpoint, or from the last one in this directory.
inline constexpr const char* restart_variable = "ARMATURE_RESTART";

// Other launchers: the file that says which hosts are at which switch.
inline constexpr const char* topology_variable = "ARMATURE_TOPOLOGY";

// Virtual ranks: how often something is due, for calls that ask; and the strategy.
inline constexpr const char* checkpoint_every_variable = "ARMATURE_CHECKPOINT_EVERY";
inline constexpr const char* copy_every_variable = "ARMATURE_COPY_EVERY";
inline constexpr const char* rebalance_every_variable = "ARMATURE_REBALANCE_EVERY";
inline constexpr const char* rebalance_by_variable = "ARMATURE_REBALANCE_BY";

// Other launchers: checkpoints hold what has changed since the one before. Any value.
inline constexpr const char* incremental_variable = "ARMATURE_CHECKPOINT_INCREMENTAL";

// Virtual ranks on several nodes: the directory that they are written to when they are to have more
// processes or fewer. Somebody will restart them from it.
inline constexpr const char* resize_variable = "ARMATURE_RESIZE";
// Other launchers: the file that says, among what was written, what ranks are to have. "processes
// N", and a line "host STAYING ALL NAME" for each node: so many of its processes were not asked to
// end. It has the second name once all are to end, and nobody rolls back any more.
inline constexpr const char* resize_file_begun = "resize.begun";
inline constexpr const char* resize_file = "resize";

// The pid of the process that has started this one's command (armature outlive).
inline constexpr const char* starter_variable = "ARMATURE_STARTER";

// Virtual ranks: the processes of the job share these instead of secrets of their own.
inline constexpr const char* secrets_variable = "ARMATURE_SECRETS";

inline constexpr const char* our_variables[] = {
    rank_variable,    hosted_variable, control_variable, segments_variable, store_variable,
    padding_variable, even_variable,   process_variable, held_by_variable,  launcher_variable};

/// The launcher's word to this process.
struct Environment {
  int rank = 0;    // the first that this process hosts
  int hosted = 1;  // how many, in a row
  int control_fd = -1;
  int first_segment_fd = -1;
  int store_fd = -1;  // by which processes of several nodes find each other; -1: one node
  int launcher_fd = -1;
  int process = -1;  // of one that joins later: which it is

  /// Reads and removes the variables. False when there are none: the program was started by itself,
  /// or by another launcher. Throws Error(start) when they are there but make no sense.
  static bool take(Environment& out);
};

}  // namespace armature::bootstrap
