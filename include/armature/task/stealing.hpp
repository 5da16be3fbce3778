#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "armature/task/node.hpp"
#include "armature/team.hpp"

// Tasks that another member may run: which are ready, who is idle, and what is under way elsewhere.
// An idle member asks the others, one after the other, and each remembers it until there is a task
// for it. A member that begins a task, or leaves the loop that runs tasks, sends back what it has
// not begun.

namespace armature {

/// Counts of tasks that may be stolen, of one member, since the graph was made.
struct task_stealing_counts {
  std::uint64_t given = 0;      // its own tasks that others have run
  std::uint64_t taken = 0;      // tasks of others that it has run
  std::uint64_t sent_back = 0;  // tasks of others that it had no time for
};

namespace detail {

class TaskPart;

/// A task that another member may run.
class TaskStealable : public TaskNode {
 public:
  explicit TaskStealable(std::uint64_t number) : TaskNode(Kind::stealable), number_(number) {}
  /// Sends it to the member, with what it reads.
  virtual void give_to(int member) = 0;
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  std::uint64_t number_;
};

/// A task of another member that this one runs, or sends back.
class TaskStolen : public TaskNode {
 public:
  TaskStolen(int owner, std::uint64_t number)
      : TaskNode(Kind::task), owner_(owner), number_(number) {}
  [[nodiscard]] int owner() const { return owner_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  int owner_;
  std::uint64_t number_;
};

class ARMATURE_API TaskStealing {
 public:
  explicit TaskStealing(TaskPart& part);
  TaskStealing(const TaskStealing&) = delete;
  TaskStealing& operator=(const TaskStealing&) = delete;

  // -- what this member may run
  void add_ready(TaskStealable& task) { ready_.push_back(&task); }
  [[nodiscard]] bool has_ready() const { return !stolen_.empty() || !ready_.empty(); }
  /// Takes the next one out; nullptr: there is none.
  [[nodiscard]] TaskNode* take_ready();

  // -- as the owner of tasks
  /// Gives idle members what there is, but for a task that this member runs itself at once.
  void give();
  /// Another member says that it is idle. If there is nothing for it now, it is told so.
  void asked_by(int member);
  /// Takes out a task that another member has run.
  [[nodiscard]] TaskStealable& take_given(std::uint64_t number);
  /// A task comes back that was not begun.
  void came_back(std::uint64_t number);

  // -- as an idle member
  [[nodiscard]] bool may_ask() const;
  /// Asks the next member that does not know that this one is idle.
  void ask();
  void refused_by(int owner);
  void got(TaskStolen& task);
  /// This member runs no more tasks for now.
  void send_back_rest();

  [[nodiscard]] const task_stealing_counts& counts() const { return counts_; }

 private:
  static constexpr int nobody = -1;
  [[nodiscard]] bool can_give() const;
  void send_back(TaskStolen& task);

  TaskPart& part_;
  std::deque<TaskStealable*> ready_;
  std::vector<int> idle_;  // who asked first is first
  bool gives_ = false;
  std::unordered_map<std::uint64_t, TaskStealable*> given_;
  std::deque<TaskStolen*> stolen_;
  std::vector<char> knows_me_idle_;  // by member
  int known_by_ = 0;                 // how many
  int asked_ = nobody;               // who has not answered yet
  int next_;                         // to be asked
  task_stealing_counts counts_;
};

}  // namespace detail
}  // namespace armature
