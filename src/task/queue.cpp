#include "armature/task/queue.hpp"

namespace armature::detail {

TaskNode* TaskQueue::take() {
  if (own_.empty()) return stealing_ == nullptr ? nullptr : stealing_->take_ready();
  TaskNode* const task = own_.front();
  own_.pop_front();
  return task;
}

bool TaskQueue::ask() {
  if (!may_ask()) return false;
  stealing_->ask();
  return true;
}

}  // namespace armature::detail
