// A member that is idle is known to each other one at most once, until that gives it a task. So
// there are at most two messages to each member for the time between, however long it is. Nobody
// waits in a circle: a member that has left its loop, for whatever, or runs a task, which may wait,
// sends back each task that comes, in whichever call it waits.
#include "armature/task/stealing.hpp"

#include <algorithm>
#include <utility>

#include "armature/task/part.hpp"

namespace armature::detail {

TaskStealing::TaskStealing(TaskPart& part)
    : part_(part),
      knows_me_idle_(static_cast<std::size_t>(part.team().size())),
      next_((part.me() + 1) % part.team().size()) {}

TaskNode* TaskStealing::take_ready() {
  if (!stolen_.empty()) {  // whose owner waits
    TaskStolen* const task = stolen_.front();
    stolen_.pop_front();
    ++counts_.taken;
    return task;
  }
  if (ready_.empty()) return nullptr;
  TaskStealable* const task = ready_.front();
  ready_.pop_front();
  return task;
}

/// A member that is about to run a task keeps one.
bool TaskStealing::can_give() const {
  const TaskEngine& engine = part_.engine();
  const std::size_t kept = engine.is_in_loop() && !engine.runs_task() ? 1 : 0;
  return !ready_.empty() && !engine.has_failed() && !engine.is_abandoned() &&
         ready_.size() + engine.ready().own() > kept;
}

void TaskStealing::give() {
  if (gives_) return;
  gives_ = true;
  while (!idle_.empty() && can_give()) {
    const int member = idle_.front();
    idle_.erase(idle_.begin());
    TaskStealable& task = *ready_.back();
    ready_.pop_back();
    given_.emplace(task.number(), &task);
    ++counts_.given;
    try {
      task.give_to(member);
    } catch (...) {
      part_.engine().abandon();  // nobody knows what has been sent
      gives_ = false;
      throw;
    }
  }
  gives_ = false;
}

void TaskStealing::asked_by(int member) {
  idle_.push_back(member);
  give();
  if (std::ranges::find(idle_, member) == idle_.end()) return;
  part_.tell(
      member, [](TaskPart& part, int owner) { part.stealing().refused_by(owner); }, part_.me());
}

TaskStealable& TaskStealing::take_given(std::uint64_t number) {
  const auto found = given_.find(number);
  TaskStealable& task = *found->second;
  given_.erase(found);
  return task;
}

void TaskStealing::came_back(std::uint64_t number) {
  --counts_.given;
  ready_.push_back(&take_given(number));
  give();
}

bool TaskStealing::may_ask() const {
  return asked_ == nobody && known_by_ < part_.team().size() - 1;
}

void TaskStealing::ask() {
  const int members = part_.team().size();
  while (next_ == part_.me() || knows_me_idle_[static_cast<std::size_t>(next_)] != 0)
    next_ = (next_ + 1) % members;
  asked_ = next_;
  knows_me_idle_[static_cast<std::size_t>(next_)] = 1;
  ++known_by_;
  part_.tell(
      next_, [](TaskPart& part, int member) { part.stealing().asked_by(member); }, part_.me());
}

void TaskStealing::refused_by(int owner) {
  if (asked_ == owner) asked_ = nobody;
}

void TaskStealing::got(TaskStolen& task) {
  refused_by(task.owner());
  knows_me_idle_[static_cast<std::size_t>(task.owner())] = 0;
  --known_by_;
  next_ = task.owner();  // who may have more
  part_.engine().add(task);
  if (part_.engine().is_in_loop() && !part_.engine().runs_task())
    stolen_.push_back(&task);
  else
    send_back(task);
}

void TaskStealing::send_back(TaskStolen& task) {
  ++counts_.sent_back;
  const int owner = task.owner();
  const std::uint64_t number = task.number();
  part_.engine().arrived(task);  // which ends it
  part_.tell(
      owner, [](TaskPart& part, std::uint64_t which) { part.stealing().came_back(which); }, number);
}

void TaskStealing::send_back_rest() {
  while (!stolen_.empty()) {
    TaskStolen& task = *stolen_.front();
    stolen_.pop_front();
    send_back(task);
  }
}

}  // namespace armature::detail
