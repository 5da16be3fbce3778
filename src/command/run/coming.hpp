#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "command/run/ending.hpp"
#include "command/run/process_starter.hpp"
#include "command/run/resize_requests.hpp"

namespace armature::command {

/// On several nodes: processes that come to the job while all others stay. They are started and
/// wait; then ranks are told (process_changes.hpp), and see to it when they next meet
/// (elastic/come.cpp). The job has all of them afterwards, or none, and nobody needs them before.
/// Each has a number that nobody has had: whatever others know of a number is about one process.
class Coming {
 public:
  Coming(const JobView& job, LaunchedProcesses& processes, ProcessStarter& starter,
         ResizeRequests& requests)
      : job_(job),
        processes_(processes),
        starter_(starter),
        requests_(requests),
        numbers_(processes.all().size() + space::Control::coming_max) {}

  /// Whether numbers are left for so many. When a job restarts, all are.
  [[nodiscard]] bool has_numbers_for(std::size_t count) const;
  /// Starts as many as are missing, where there are the fewest, or ends those that are too many.
  /// Whether all of them wait, so that ranks may be told.
  [[nodiscard]] bool bring(std::size_t count);
  /// Starts so many for a simulation, which tells ranks by itself. False when it cannot.
  [[nodiscard]] bool start_for_simulation(std::size_t count);
  [[nodiscard]] const std::vector<int>& all() const { return coming_; }
  /// Ranks are told. They say what is wrong, if something is.
  void are_told() { are_told_ = true; }
  /// To be called now and then. They have come if all nodes have them.
  void look();
  /// They are not wanted any more: they end. When all ranks have ended, they do so by themselves.
  void dismiss();
  /// All have rolled back. Those of which ranks were told are lost; others may come.
  void begin_once_more();
  /// A process has ended. If it was to come, and no node has it, the job goes on without it; else
  /// false.
  [[nodiscard]] bool do_without(LaunchedProcess& process, const Ending& ending);

 private:
  [[nodiscard]] bool start();
  [[nodiscard]] int least_used_node() const;
  [[nodiscard]] bool deny(int number) const;
  [[nodiscard]] bool was_alone(const LaunchedProcess& process) const;
  void end(int number);
  void kill_those_who_hang();

  const JobView& job_;
  LaunchedProcesses& processes_;
  ProcessStarter& starter_;
  ResizeRequests& requests_;
  const std::size_t numbers_;  // that there are
  std::vector<int> coming_;
  bool are_told_ = false;
  std::uint64_t alone_since_ns_ = 0;  // when nobody else was left
};

}  // namespace armature::command
