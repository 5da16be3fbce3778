#pragma once

#include <string>
#include <utility>
#include <vector>

#include "command/run/launched_processes.hpp"

// The table by which parallel debuggers (TotalView, DDT, STAT) find the processes of a job: "The
// MPIR Process Acquisition Interface", version 1.0, of the MPI Forum. They read it in the
// launcher's memory, by the names of its symbols.

namespace armature::command {

/// The launcher's table. An entry is a process of the job that lives, in the order of their
/// numbers: it may host several ranks.
class DebuggerTable {
 public:
  DebuggerTable(const JobView& job, const LaunchedProcesses& processes, std::string program)
      : job_(job), processes_(processes), program_(std::move(program)) {}
  DebuggerTable(const DebuggerTable&) = delete;
  DebuggerTable& operator=(const DebuggerTable&) = delete;
  ~DebuggerTable();

  /// Stops a process that has just been started, where a debugger runs the launcher: it is to
  /// attach first.
  void hold(const LaunchedProcess& process) const;
  /// Fills the table when all are started, tells the debugger, and lets held processes go on.
  void announce();
  /// Brings the table up to date: processes come and go, and a script may start the program.
  void follow();
  /// Tells the debugger, once, that the job ends with that status, which is no success.
  void announce_failure(int status);

 private:
  [[nodiscard]] std::vector<pid_t> pids() const;
  void publish(const std::vector<pid_t>& pids);

  const JobView& job_;
  const LaunchedProcesses& processes_;
  const std::string program_;
  std::string host_, why_;
  std::vector<pid_t> published_;
};

}  // namespace armature::command
