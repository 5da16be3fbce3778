#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "command/run/coming.hpp"
#include "command/run/launched_processes.hpp"
#include "command/run/process_changes.hpp"
#include "command/run/resize_requests.hpp"

namespace armature::command {

/// More processes for virtual ranks on several nodes, or fewer. Where each node keeps a process,
/// those that are too many leave, and new ones come (process_changes.hpp). Else all ranks are
/// written to disk at the next call in which they meet (world/restart.cpp), all processes end, and
/// whoever waits for this launch starts others, which go on from there. Until then nothing has
/// changed.
class Restarting {
 public:
  Restarting(const JobView& job, LaunchedProcesses& processes, ResizeRequests& requests,
             Coming& coming)
      : job_(job),
        processes_(processes),
        requests_(requests),
        coming_(coming),
        changes_(job, processes) {}

  /// To be called now and then, once the job has begun.
  void look();
  /// All have rolled back after a death: whoever had begun does not know of it.
  void begin_once_more();
  /// Something is asked for that ranks do not know of yet.
  [[nodiscard]] bool is_due() const {
    return (requests_.pending() || !leave_.empty()) && !is_wanted_;
  }
  /// Ranks do not know of what is asked for, or have not met since.
  [[nodiscard]] bool is_under_way() const { return is_due() || is_wanted_; }
  /// Tells in how many processes and nodes the job goes on that has been written.
  void complete(Outcome& outcome);

 private:
  void note_stop();
  void forget_who_leaves_no_more();
  void note_those_who_leave();
  [[nodiscard]] bool wants_nodes() const;
  [[nodiscard]] std::string why_not() const;
  void want();
  void want_more(std::size_t count);
  void want_restart();
  void give_up(const std::string& why);

  const JobView& job_;
  LaunchedProcesses& processes_;
  ResizeRequests& requests_;
  Coming& coming_;
  const ProcessChanges changes_;
  std::vector<int> leave_;            // in the end
  std::uint64_t leave_since_ns_ = 0;  // when the last of them was asked to
  bool is_wanted_ = false;
  std::uint64_t stopped_ns_ = 0;  // when all ranks were seen to have stopped for it; 0: they run
};

}  // namespace armature::command
