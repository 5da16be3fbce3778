#pragma once

#include <cstddef>
#include <deque>

#include "armature/task/node.hpp"
#include "armature/task/stealing.hpp"
#include "armature/team.hpp"

namespace armature::detail {

/// The ready tasks of a member: its own in the order in which they became ready, behind them those
/// of others, and last those that others may steal.
class ARMATURE_API TaskQueue {
 public:
  /// From now on there are tasks that may be stolen, and those of others.
  void use(TaskStealing& stealing) { stealing_ = &stealing; }

  void add(TaskNode& task) {
    if (task.kind() == TaskNode::Kind::task)
      own_.push_back(&task);
    else
      stealing_->add_ready(static_cast<TaskStealable&>(task));
  }
  /// How many there are that no other member may run.
  [[nodiscard]] std::size_t own() const { return own_.size(); }
  [[nodiscard]] bool is_empty() const {
    return own_.empty() && (stealing_ == nullptr || !stealing_->has_ready());
  }
  /// Takes the next one out; nullptr: there is none.
  [[nodiscard]] TaskNode* take();

  /// Gives idle members what they may run.
  void give() {
    if (stealing_ != nullptr) stealing_->give();
  }
  [[nodiscard]] bool may_ask() const { return stealing_ != nullptr && stealing_->may_ask(); }
  /// Asks another member for a task; false: there is none to be asked.
  bool ask();
  /// Sends tasks of others back: for now this member runs none, or no further one.
  void end() {
    if (stealing_ != nullptr) stealing_->send_back_rest();
  }

 private:
  std::deque<TaskNode*> own_;
  TaskStealing* stealing_ = nullptr;
};

}  // namespace armature::detail
