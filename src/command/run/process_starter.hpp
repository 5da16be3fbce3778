#pragma once

#include <utility>

#include "command/run/job_output.hpp"
#include "command/run/launched_processes.hpp"
#include "command/run/spawn.hpp"

namespace armature::command {

/// Starts the job's processes, at its beginning and when it is to have more, with their output
/// going where it belongs.
class ProcessStarter {
 public:
  ProcessStarter(const JobView& view, Spawner::Job job, JobOutput& output)
      : job_(view), output_(output), spawner_(std::move(job)) {}

  /// Returns errno of what failed, or 0: then it is alive.
  [[nodiscard]] int start(LaunchedProcess& process);

 private:
  const JobView& job_;
  JobOutput& output_;
  Spawner spawner_;
};

}  // namespace armature::command
