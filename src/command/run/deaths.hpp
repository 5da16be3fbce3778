#pragma once

#include <cstdint>
#include <string>

#include "command/run/coming.hpp"
#include "command/run/recovery.hpp"
#include "command/run/resizing.hpp"

namespace armature::command {

/// Processes that leave, in order or not, and what that means for the job: nothing, rolling back,
/// or its end.
class Deaths {
 public:
  Deaths(const JobView& job, LaunchedProcesses& processes, Shutdown& shutdown,
         DeathReports& reports, Recovery& recovery, Resizing& resizing, Coming& coming);

  /// To be called now and then.
  void look();
  /// The process has left; wait_status says how.
  void has_exited(LaunchedProcess& process);
  /// The job is over, and so many processes had to be killed. Who leaves the work behind itself, as
  /// a script's last line with & does, has ended too early.
  void have_killed(int left);

 private:
  void read_crash_reports();
  [[nodiscard]] std::string stack_of(int pid, const Words& words) const;
  void reap();
  [[nodiscard]] space::Life life_at_exit(const LaunchedProcess& process) const;
  void judge(LaunchedProcess& process, const std::string& who, const Ending& ending,
             bool has_spoken);
  void refuse_those_who_never_joined();
  void kill_those_given_up();
  [[nodiscard]] bool is_given_up(const LaunchedProcess& process) const;

  const JobView& job_;
  LaunchedProcesses& processes_;
  Shutdown& shutdown_;
  DeathReports& reports_;
  Recovery& recovery_;
  Resizing& resizing_;
  Coming& coming_;
  const std::uint64_t oom_kills_before_;
};

}  // namespace armature::command
