#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command/run/death_reports.hpp"
#include "command/run/restarting.hpp"

namespace armature::command {

/// Going on without processes that were killed. A process of virtual ranks that was killed from
/// outside takes with it what its ranks had on the processor, but not their memory, which is the
/// node's. So all ranks roll back to the last checkpoint in memory, in the processes that are left;
/// see elastic/reconfigure.cpp. A rank that ends itself, by an exception or a crash of its own,
/// would do so again: that ends the job.
class Recovery {
 public:
  Recovery(const JobView& job, LaunchedProcesses& processes, JobOutput& output, Shutdown& shutdown,
           DeathReports& reports, Restarting& restarting)
      : job_(job),
        processes_(processes),
        output_(output),
        shutdown_(shutdown),
        reports_(reports),
        restarting_(restarting) {}

  /// Recovers from a process that was killed: all roll back, or the job ends.
  void recover(LaunchedProcess& process, const std::string& who, const Ending& ending);
  /// Processes of several nodes may have done so, and even have ended, before we hear of a death.
  [[nodiscard]] bool have_gone_back_without(LaunchedProcess& process);
  [[nodiscard]] bool is_under_way() const { return recovering_since_ns_ != 0; }
  /// To be called now and then.
  void look();

 private:
  [[nodiscard]] std::vector<int> alive_but(const LaunchedProcess& process) const;
  [[nodiscard]] std::string why_not(const std::vector<int>& left) const;
  void look_at_nodes();
  void have_recovered();
  [[nodiscard]] bool has_gone_on(int node) const;

  const JobView& job_;
  LaunchedProcesses& processes_;
  JobOutput& output_;
  Shutdown& shutdown_;
  DeathReports& reports_;
  Restarting& restarting_;
  std::uint64_t recovering_since_ns_ = 0;
};

}  // namespace armature::command
