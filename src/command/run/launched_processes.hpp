#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "command/run/descendants.hpp"
#include "command/run/job_view.hpp"
#include "command/run/spawn.hpp"

namespace armature::command {

/// A process of the job, as the launcher knows it.
struct LaunchedProcess {
  Hosted ranks;  // that it hosts at first
  int node = 0;
  pid_t pid = -1;
  bool alive = false;
  bool lost = false;              // told to everybody as dead
  int wait_status = 0;            // of one that is gone
  bool never_joined = false;      // has exited with 0 without having called armature::run
  std::uint64_t given_up_ns = 0;  // when it was first seen that another node has given it up
};

/// The processes of a job by their numbers, which host ranks that may change their processes, and
/// on several nodes their nodes.
class LaunchedProcesses {
 public:
  /// None is started yet.
  explicit LaunchedProcesses(const JobView& job);

  [[nodiscard]] std::vector<LaunchedProcess>& all() { return processes_; }
  [[nodiscard]] const std::vector<LaunchedProcess>& all() const { return processes_; }
  [[nodiscard]] LaunchedProcess& at(int number) {
    return processes_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] const LaunchedProcess& at(int number) const {
    return processes_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] int number_of(const LaunchedProcess& process) const;
  /// The control block of its node.
  [[nodiscard]] const space::Control& node_of(const LaunchedProcess& process) const;
  /// "rank 3 (pid 4711, ./prog)", "process 2 (pid 4711, ./prog)".
  [[nodiscard]] std::string name_of(int rank) const;
  [[nodiscard]] std::string name_of(const LaunchedProcess& process) const;

  [[nodiscard]] bool any_alive() const;
  /// The nodes with a process that is left.
  [[nodiscard]] std::vector<int> living_nodes() const;
  /// The numbers of those that host ranks and will go on to.
  [[nodiscard]] std::vector<int> hosting() const;
  /// On several nodes: whether all nodes know that it has left in order.
  [[nodiscard]] bool has_left(const LaunchedProcess& process) const;
  /// How far its ranks have come: the one that has left least in order counts.
  [[nodiscard]] space::Life life_of(const LaunchedProcess& process) const;
  /// Whether its program has called armature::run.
  [[nodiscard]] bool has_begun_to_join(const LaunchedProcess& process) const;
  /// The process that has joined, where a script or another program that we have started has
  /// started it; 0 where there is none, or it has ended. `ours` are the job's, once that has been
  /// asked.
  [[nodiscard]] pid_t joined_behind(const LaunchedProcess& process, std::vector<pid_t>& ours) const;
  /// Kills the processes that the job has left; returns how many.
  int kill_those_left() const { return descendants_.kill_all(); }

  /// Takes slots from the nodes that ranks are on now, after they have changed nodes.
  void follow_ranks();
  /// Slots that were followed so far may have changed once more.
  void follow_ranks_anew() { followed_ = 0; }

 private:
  void follow_living_ranks();
  void bring_requests_after(const std::vector<int>& nodes) const;

  const JobView& job_;
  const Descendants descendants_;
  std::vector<LaunchedProcess> processes_;
  std::uint32_t followed_ = 0;  // the last time when ranks have gone to other nodes
};

}  // namespace armature::command
