#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "command/run/job_view.hpp"
#include "command/run/launched_processes.hpp"

namespace armature::command {

/// Watches the host file of an elastic job: asks for a node for each line that has come, and asks
/// the processes of a node to end whose line is gone.
class HostWatch {
 public:
  HostWatch(const JobView& job, LaunchedProcesses& processes) : job_(job), processes_(processes) {}

  void look();

 private:
  void note_answer();
  void ask_for_nodes();
  void ask_to_leave();
  void let_stay(int node);
  [[nodiscard]] const std::string& name_of(int node) const;
  /// ProcessSlot::wants_to_leave of the node's processes.
  [[nodiscard]] std::vector<std::atomic<std::uint32_t>*> words_of(int node) const;
  [[nodiscard]] bool is_asked_to_leave(int node) const;
  void set_leaving(int node, bool leaves) const;

  struct Asked {
    std::uint64_t first_ns = 0, again_ns = 0;
  };

  const JobView& job_;
  LaunchedProcesses& processes_;
  std::uint64_t looked_ns_ = 0;
  std::uint32_t request_ = 0;     // the last one; 0: it is answered
  std::map<int, Asked> leaving_;  // nodes that were asked to
  bool are_all_to_leave_ = false;
};

}  // namespace armature::command
