#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "command/run/job_view.hpp"
#include "command/run/launched_processes.hpp"

namespace armature::command {

/// On several nodes: which processes leave the job while all others stay. Each node keeps one at
/// least: where a node is to go, or to come, or there are to be more processes, the job restarts
/// (restarting.hpp).
class Leaving {
 public:
  Leaving(const JobView& job, const LaunchedProcesses& processes)
      : job_(job), processes_(processes) {}

  /// Those that are asked to leave, and more where the job is to have no more processes than that.
  /// Empty where the job must restart.
  [[nodiscard]] std::vector<int> choose(const std::vector<int>& asked,
                                        std::optional<std::uint32_t> wanted) const;
  /// Tells ranks, which see to it at the next call in which all meet. As often as one likes.
  void want(const std::vector<int>& leaving) const;
  /// They need not any more.
  void withdraw() const;
  /// Whether all nodes know of the same processes that they have left.
  [[nodiscard]] bool all_nodes_agree() const;

 private:
  const JobView& job_;
  const LaunchedProcesses& processes_;
};

}  // namespace armature::command
