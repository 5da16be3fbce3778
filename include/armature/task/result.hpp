#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "armature/task/outcome.hpp"
#include "armature/task/part.hpp"

namespace armature {

/// The result of a task, on every member. A value, valid as long as the graph.
template <class R>
class task_result {
 public:
  task_result(detail::TaskPart& part, int executor, std::uint64_t task)
      : part_(&part), executor_(executor), task_(task) {
    if (executor == part.me()) here_ = part.outcome<R>(task);
  }

  /// The member that runs the task.
  [[nodiscard]] int executor() const { return executor_; }
  /// Waits, running tasks of this member meanwhile, and gives the result or throws what the task
  /// threw: RemoteError on other members than the one that ran it. Any member may call it, as often
  /// as it likes. Throws Error(misuse) inside a task of the graph.
  [[nodiscard]] R get() const {
    constexpr const char* name = "task_result::get";
    if (here_ != nullptr) {
      part_->engine().run_until([this] { return here_->is_there(); }, name);
      return here_->get();
    }
    future<R> answer = part_->ask<R>(executor_, task_);
    part_->engine().run_until([&answer] { return answer.is_there(); }, name);
    return answer.get();
  }

 private:
  detail::TaskPart* part_;
  int executor_;
  std::uint64_t task_;
  std::shared_ptr<detail::TaskOutcome<R>> here_;
};

}  // namespace armature
