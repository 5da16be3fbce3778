// A task may wait, and executes calls of others meanwhile. These bring values, by which other nodes
// become ready: tasks are put into a queue then, and never begin on top of one that waits. Values
// are sent at once, so that other ranks need not wait for the end of the task. Who sends may
// execute calls as well, when there is no room: what becomes ready meanwhile is sent by the same
// loop.
#include "armature/task/engine.hpp"

#include <exception>
#include <utility>

#include "armature/clock.hpp"
#include "armature/detail/wait_for_team.hpp"
#include "armature/error.hpp"
#include "armature/future.hpp"
#include "armature/rmi.hpp"

namespace armature::detail {

void TaskEngine::finish(TaskNode& node) {
  node.is_done_ = true;
  --unfinished_;
  for (TaskNode* const next : std::exchange(node.successors_, {})) release(*next);
  if (--node.references_ == 0) delete &node;
}

/// Says that a node runs. One that throws, as a value could not be sent or kept, leaves the graph
/// without what others need: nothing of it is run any more.
class TaskEngine::Running {
 public:
  Running(TaskEngine& engine, bool& runs) : engine_(engine), runs_(runs) { runs_ = true; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    runs_ = false;
    if (std::uncaught_exceptions() != exceptions_) engine_.abandon();
  }

 private:
  TaskEngine& engine_;
  bool& runs_;
  int exceptions_ = std::uncaught_exceptions();
};

void TaskEngine::run_ready_transfers() {
  if (runs_transfers_ || is_abandoned_) return;
  const Running running(*this, runs_transfers_);
  while (!transfers_.empty()) {
    TaskNode& node = *transfers_.back();
    transfers_.pop_back();
    node.run();
    finish(node);
  }
}

bool TaskEngine::run_one() {
  if (runs_task_)
    throw Error(Errc::misuse, "task_graph: a task may not wait for tasks of its own graph");
  if (is_abandoned_) return false;
  TaskNode* const node = ready_.take();
  if (node == nullptr) return false;
  {
    const Running running(*this, runs_task_);
    ready_.end();
    node->run();
  }
  finish(*node);
  run_transfers();
  return true;
}

/// While it lives, tasks of others are taken.
class TaskEngine::Loop {
 public:
  explicit Loop(TaskEngine& engine) : engine_(engine) { ++engine_.loops_; }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() { --engine_.loops_; }
  /// Tasks of others go back that have not begun.
  void end() {
    if (engine_.loops_ == 1 && !engine_.is_abandoned_) engine_.ready_.end();
  }

 private:
  TaskEngine& engine_;
};

void TaskEngine::run_until(const std::function<bool()>& holds, const char* call) {
  require_members();
  Loop loop(*this);
  // Calls of others come in between, though not behind each of many small tasks.
  constexpr std::uint64_t poll_interval_ns = 5'000;
  std::uint64_t polled_ns = clock_ns();
  try {
    while (!holds()) {
      if (run_one()) {
        const std::uint64_t now_ns = clock_ns();
        if (now_ns - polled_ns < poll_interval_ns) continue;
        rmi_poll();
        polled_ns = now_ns;
        continue;
      }
      if (is_abandoned_ || !ready_.ask()) wait_for_others(holds, call);
    }
    loop.end();
  } catch (const Error& error) {
    // A rank hears of a death where it waits, and where it asks for a task and has no room.
    if (error.code() == Errc::rank_lost) {
      lost_ = std::current_exception();
      abandon();
    }
    throw;
  }
}

/// Waits for what may come from any member, by way of others.
void TaskEngine::wait_for_others(const std::function<bool()>& holds, const char* call) {
  struct Wait {
    TaskEngine& engine;
    const std::function<bool()>& holds;
  } wait{*this, holds};
  wait_for_team(
      team_,
      [](void* what) {
        const auto& waits = *static_cast<Wait*>(what);
        const TaskQueue& ready = waits.engine.ready_;
        if (!waits.engine.is_abandoned_ && (!ready.is_empty() || ready.may_ask())) return true;
        return waits.holds();
      },
      &wait, call);
}

void TaskEngine::end_use(int exceptions) noexcept {
  if (std::uncaught_exceptions() != exceptions) return abandon();
  if (is_abandoned_ || unfinished_ == 0) return;
  try {
    run_until([this] { return unfinished_ == 0; }, "the end of data of tasks");
  } catch (const Error& error) {
    if (error.code() != Errc::rank_lost) std::terminate();  // the next call of the graph says so
  }
}

void TaskEngine::fail(std::uint64_t task, std::exception_ptr failure) {
  if (failure_ != nullptr && failed_task_ <= task) return;
  failure_ = std::move(failure);
  failed_task_ = task;
}

std::exception_ptr TaskEngine::take_failure() { return std::exchange(failure_, nullptr); }

}  // namespace armature::detail
