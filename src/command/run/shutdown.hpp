#pragma once

#include <cstdint>
#include <optional>

#include "command/run/launched_processes.hpp"

namespace armature::command {

/// How a job comes to its end: processes are asked to end, get a moment for it, and are killed. And
/// what status that makes the launcher return: that of the first failure.
class Shutdown {
 public:
  Shutdown(const LaunchedProcesses& processes, const JobView& job)
      : processes_(processes), job_(job) {}

  /// The job has failed, with that status if it is the first time.
  void fail(int status);
  [[nodiscard]] std::optional<int> failure() const { return failure_; }
  [[nodiscard]] bool is_ending() const { return ending_; }

  /// All processes are told to go. Only the first time counts.
  void end_job();
  /// Kills the job without being asked.
  void kill_job();
  /// A rank that has joined gets the signal itself: a script around it could do no better than to
  /// pass it on, and most would just end.
  void signal_processes(int signal);
  /// A signal of the launcher's is passed on, by which processes may end the job.
  void pass_on(int signal, bool is_known_to_them);
  /// The last signal that was passed on and ends programs; 0: none.
  [[nodiscard]] int passed_on() const { return passed_on_; }
  void note_passed_on(int signal) { passed_on_ = signal; }

  /// Kills those that are still there after a moment.
  void kill_soon();
  void kill_when_due();
  [[nodiscard]] std::uint64_t kill_at_ns() const { return kill_at_ns_; }
  /// Ranks whose script has ended have been asked to end, and get the time for it that others get.
  void await_orphans() const;

  /// We have killed processes.
  [[nodiscard]] bool has_killed() const { return has_killed_; }
  /// Notes that somebody else has killed a process.
  void note_kill() { was_killed_ = true; }
  [[nodiscard]] bool was_killed() const { return was_killed_; }

 private:
  void ask_to_end() const;

  const LaunchedProcesses& processes_;
  const JobView& job_;
  std::optional<int> failure_;
  bool ending_ = false;
  std::uint64_t kill_at_ns_ = 0;
  int passed_on_ = 0;
  bool has_killed_ = false;
  bool was_killed_ = false;
};

/// Whether most programs end at that signal.
bool ends_programs(int signal);

}  // namespace armature::command
