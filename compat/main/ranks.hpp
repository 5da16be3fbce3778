#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include <armature/rank_local.hpp>
#include <armature/run.hpp>

#include "body.hpp"

// The ranks of a process as interfaces have them that are joined by a call of the program: a
// process is one rank, or runs the program's main once for each of its ranks.

namespace main_body {

/// A rank's main, for rank_local. A rank begins with none that runs.
struct RunningOfRank {
  Running value;

  RunningOfRank() = default;
  RunningOfRank(const RunningOfRank& /*first*/) {}
  RunningOfRank& operator=(const RunningOfRank&) = delete;
  ~RunningOfRank() = default;
};

/// The program's main, in a process that may host ranks. A variable of namespace scope.
class MainOfRanks {
 public:
  /// Whether ranks of this process run main.
  [[nodiscard]] bool runs() const { return runs_; }

  /// Runs `program` as every rank of this process, with before() and after(its status) around it.
  /// Returns the process's exit status.
  template <class Before, class After>
  int run(int argc, char** argv, Main* program, Before before, After after) {
    runs_ = true;
    return armature::run(argc, argv, [=, this](armature::World& /*world*/) {
      before();
      const int status = status_of(running_->value, program, argc, argv);
      after(status);
      return status;
    });
  }

  /// Ends the calling rank's main with that status. Returns where the caller is not in one.
  void end(int status) {
    if (runs_ && armature::initialized()) main_body::end(running_->value, status);
  }

 private:
  armature::rank_local<RunningOfRank> running_;
  std::atomic<bool> runs_ = false;
};

/// Has leave(status) called when this process exits within a job. Its children have jobs of their
/// own, or none.
template <void (*leave)(int status)>
void leave_at_exit() {
  const auto at_exit = [](int status, void* owner) {
    const bool is_child = static_cast<pid_t>(reinterpret_cast<std::intptr_t>(owner)) != getpid();
    if (!is_child && armature::initialized()) leave(status);
  };
  on_exit(at_exit, reinterpret_cast<void*>(static_cast<std::intptr_t>(getpid())));
}

}  // namespace main_body
