#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "armature/task/node.hpp"
#include "armature/task/queue.hpp"
#include "armature/team.hpp"

namespace armature::detail {

/// Runs the nodes of one rank, each when all that it depends on is done: tasks in the order in
/// which they became ready, one at a time, where the rank calls run_one() or run_until().
class ARMATURE_API TaskEngine {
 public:
  explicit TaskEngine(const Team& team) : team_(team) {}
  TaskEngine(const TaskEngine&) = delete;
  TaskEngine& operator=(const TaskEngine&) = delete;

  /// Adds a node, which begins no sooner than described() is called.
  void add(TaskNode& node) {
    ++node.references_;  // until it is done
    ++unfinished_;
  }
  /// `node` begins no sooner than `earlier` is done.
  static void order(TaskNode& node, TaskNode* earlier) {
    if (earlier == nullptr || earlier->is_done_ || earlier == &node) return;
    ++node.awaited_;
    earlier->successors_.push_back(&node);
  }
  /// All that the node depends on is known.
  void described(TaskNode& node) {
    release(node);
    run_transfers();
  }
  /// The node is done without being run: what it stands for has come.
  void arrived(TaskNode& node) {
    finish(node);
    run_transfers();
  }

  /// Runs a task that is ready; false when there is none. Throws Error(misuse) inside a task.
  bool run_one();
  /// Runs tasks, and executes calls of others while none is ready, until that holds. Throws
  /// Error(rank_lost) where it waits and a member of the team has died: nothing is run any more.
  void run_until(const std::function<bool()>& holds, const char* call);
  [[nodiscard]] std::size_t unfinished() const { return unfinished_; }
  [[nodiscard]] TaskQueue& ready() { return ready_; }
  [[nodiscard]] const TaskQueue& ready() const { return ready_; }
  /// Whether a run_until() is under way.
  [[nodiscard]] bool is_in_loop() const { return loops_ > 0; }
  [[nodiscard]] bool runs_task() const { return runs_task_; }

  /// Data of tasks end: runs what is not done, or drops it where there are more exceptions under
  /// way than when they were made.
  void end_use(int exceptions) noexcept;
  /// Nothing is run any more.
  void abandon() { is_abandoned_ = true; }
  [[nodiscard]] bool is_abandoned() const { return is_abandoned_; }
  /// Throws Error(rank_lost) where a member has died while this one waited.
  void require_members() const {
    if (lost_ != nullptr) std::rethrow_exception(lost_);
  }

  /// A task has thrown: those that have not begun are not run.
  void fail(std::uint64_t task, std::exception_ptr failure);
  [[nodiscard]] bool has_failed() const { return failure_ != nullptr; }
  /// The first task that has thrown here.
  [[nodiscard]] std::uint64_t failed_task() const { return failed_task_; }
  /// Takes the exception out: later tasks are run again.
  [[nodiscard]] std::exception_ptr take_failure();

 private:
  class Running;
  class Loop;
  void release(TaskNode& node) {
    if (--node.awaited_ == 0) make_ready(node);
  }
  void make_ready(TaskNode& node) {
    if (is_abandoned_) return;
    if (node.kind_ == TaskNode::Kind::transfer)
      transfers_.push_back(&node);
    else
      ready_.add(node);
  }
  void run_transfers() {
    if (!transfers_.empty()) run_ready_transfers();
    ready_.give();
  }
  void run_ready_transfers();
  void finish(TaskNode& node);

  void wait_for_others(const std::function<bool()>& holds, const char* call);

  const Team& team_;
  TaskQueue ready_;
  std::vector<TaskNode*> transfers_;
  std::size_t unfinished_ = 0;
  int loops_ = 0;  // one on top of the other
  bool runs_task_ = false;
  bool runs_transfers_ = false;
  bool is_abandoned_ = false;
  std::exception_ptr lost_;  // of the member that has died
  std::exception_ptr failure_;
  std::uint64_t failed_task_ = 0;
};

}  // namespace armature::detail
