#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command/run/launched_processes.hpp"
#include "command/run/resize_requests.hpp"

namespace armature::command {

/// More processes for virtual ranks on several nodes, or fewer. Memory belongs to a node, so a
/// process that comes could not take ranks over. All are written to disk at the next call in which
/// they meet (world/restart.cpp), and all processes end. Whoever waits for this launch starts
/// others, which go on from there. Until then nothing has changed.
class Restarting {
 public:
  Restarting(const JobView& job, LaunchedProcesses& processes, ResizeRequests& requests)
      : job_(job), processes_(processes), requests_(requests) {}

  /// To be called now and then, once the job has begun.
  void look();
  /// All have gone back after a death: whoever had begun does not know of it.
  void begin_once_more();
  /// Something is asked for that ranks do not know of yet.
  [[nodiscard]] bool is_due() const {
    return (requests_.pending() || !leave_.empty()) && !is_wanted_;
  }
  /// Tells in how many processes and nodes the job goes on that has been written.
  void complete(Outcome& outcome) const;

 private:
  void note_those_who_leave();
  [[nodiscard]] std::string why_not() const;
  void want();
  void give_up(const std::string& why);

  const JobView& job_;
  LaunchedProcesses& processes_;
  ResizeRequests& requests_;
  std::vector<int> leave_;            // in the end
  std::uint64_t leave_since_ns_ = 0;  // when the last of them was asked to
  bool is_wanted_ = false;
};

}  // namespace armature::command
