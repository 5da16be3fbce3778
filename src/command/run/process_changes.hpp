#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "command/run/job_view.hpp"
#include "command/run/launched_processes.hpp"

namespace armature::command {

/// On several nodes: processes leave the job, or come to it (coming.hpp), while all others stay.
/// Each node keeps one at least: where a node is to go, the job restarts (restarting.hpp).
class ProcessChanges {
 public:
  ProcessChanges(const JobView& job, const LaunchedProcesses& processes)
      : job_(job), processes_(processes) {}

  /// Those that are asked to leave, and more where the job is to have no more processes than that.
  /// Nothing where a node would be without processes.
  [[nodiscard]] std::optional<std::vector<int>> choose_those_who_leave(
      const std::vector<int>& asked, std::optional<std::uint32_t> wanted) const;
  /// Tells ranks which processes leave, or come, if the job does not have them. They see to it at
  /// the next call in which all meet. As often as one likes.
  void want(const std::vector<int>& changing, space::ProcessSlot::Change change) const;
  /// They need not any more.
  void withdraw() const;
  /// Whether all nodes know of the same processes that they have left, or have come, and none is
  /// about to.
  [[nodiscard]] bool all_nodes_agree() const;

 private:
  const JobView& job_;
  const LaunchedProcesses& processes_;
};

}  // namespace armature::command
