#pragma once

#include <optional>
#include <string>

#include "command/run/ending.hpp"
#include "command/run/job_output.hpp"
#include "command/run/shutdown.hpp"

namespace armature::command {

/// Tells of processes that have died: the user first, then the job. Only the launcher declares a
/// rank dead, so what comes first on the screen is the cause, whatever other ranks then say.
class DeathReports {
 public:
  /// `store` is its descriptor, -1 with one node.
  DeathReports(const JobView& job, LaunchedProcesses& processes, JobOutput& output,
               Shutdown& shutdown, int store)
      : job_(job), processes_(processes), output_(output), shutdown_(shutdown), store_(store) {}

  /// Tells the user. When the job ends already, a death for the same reason is counted only.
  void report(const std::string& who, const Ending& ending, const std::string& stack);
  /// Tells the job: with a process all its ranks are dead, whichever of them has killed it. Its
  /// node is told; the others hear of it over the network. Ends the job, unless it goes on without.
  void lose(LaunchedProcess& process, const Ending& ending);
  /// How many were counted only; false when none was.
  [[nodiscard]] bool say_deaths_alike() const;

 private:
  const JobView& job_;
  LaunchedProcesses& processes_;
  JobOutput& output_;
  Shutdown& shutdown_;
  const int store_;
  std::optional<Ending> first_death_;  // of those that ended the job
  int further_deaths_ = 0;
  int deaths_alike_ = 0;  // further ones for the same reason
};

}  // namespace armature::command
