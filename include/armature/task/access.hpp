#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "armature/task/node.hpp"
#include "armature/task/part.hpp"
#include "armature/task/space.hpp"

namespace armature {

namespace detail {

/// An item that a task names, and whether it writes it.
template <class Space, bool writes>
struct TaskAccess {
  using Parameter = std::conditional_t<writes, typename Space::Writing, typename Space::Reading>;
  static constexpr bool is_written = writes;
  Space* space;
  std::size_t index;

  [[nodiscard]] int owner() const { return space->owner(index); }
};

/// The owner of an item sends it to the member that runs a task.
template <class Space>
class TaskSend final : public TaskNode {
 public:
  TaskSend(TaskPart& part, Space& space, std::size_t index, int to)
      : TaskNode(Kind::transfer),
        part_(part),
        space_(space),
        index_(index),
        to_(to),
        key_(space.key(index, space.state(index).version())) {}
  void run() override { part_.send<typename Space::Kept>(to_, key_, space_.kept(index_)); }

 private:
  TaskPart& part_;
  Space& space_;
  std::size_t index_;
  int to_;
  TaskKey key_;
};

/// The owner of an item takes what a task elsewhere has written.
template <class Space>
class TaskTake final : public TaskNode {
 public:
  TaskTake(Space& space, std::size_t index, TaskRef copy)
      : TaskNode(Kind::transfer), space_(space), index_(index), copy_(std::move(copy)) {}
  void run() override {
    space_.keep(index_, std::move(static_cast<TaskCopy<typename Space::Kept>&>(*copy_).value));
    copy_ = TaskRef();
  }

 private:
  Space& space_;
  std::size_t index_;
  TaskRef copy_;
};

/// Describes what the owner of an item does for a task of another member, and what all others note.
template <class Space, bool writes>
void serve(TaskPart& part, const TaskAccess<Space, writes>& access, int executor) {
  Space& space = *access.space;
  const std::size_t i = access.index;
  TaskItemState& state = space.state(i);
  if (access.owner() != part.me()) {
    if constexpr (writes) state.changed();
    return;
  }
  if (access.owner() == executor) return;
  TaskEngine& engine = part.engine();
  if (state.must_be_sent_to(executor)) {
    auto* const send = new TaskSend<Space>(part, space, i, executor);
    engine.add(*send);
    state.read_by(*send);
    engine.described(*send);
  }
  if constexpr (writes) {
    const TaskRef copy = part.expect<typename Space::Kept>(space.key(i, state.version() + 1));
    auto* const take = new TaskTake<Space>(space, i, copy);
    engine.add(*take);
    TaskEngine::order(*take, copy.get());
    state.written_by(*take);
    engine.described(*take);
  }
}

/// An item as a task that this member runs gets it: in place where it is this member's, else as a
/// copy, which is sent back where it was written.
template <class Space, bool writes>
class TaskArgument {
  using Kept = typename Space::Kept;

 public:
  using Parameter = typename TaskAccess<Space, writes>::Parameter;

  TaskArgument(const TaskAccess<Space, writes>& access, TaskNode& node, TaskPart& part)
      : space_(access.space), index_(access.index), is_here_(access.owner() == part.me()) {
    TaskItemState& state = space_->state(index_);
    if (is_here_) {
      writes ? state.written_by(node) : state.read_by(node);
      return;
    }
    if (!state.copy()) state.keep(part.expect<Kept>(space_->key(index_, state.version())));
    copy_ = state.copy();
    TaskEngine::order(node, copy_.get());
    if constexpr (writes) {
      state.changed();
      version_ = state.version();
    }
  }

  /// At the beginning of the task.
  Parameter value() {
    if constexpr (writes) {
      if (is_here_) return space_->write(index_);
      mine_ = value_of_copy();
      return Space::write_kept(mine_);
    } else {
      return is_here_ ? space_->read(index_) : Space::read_kept(value_of_copy());
    }
  }
  /// As it is sent to a member that runs the task instead.
  [[nodiscard]] decltype(auto) kept() const {
    return is_here_ ? space_->kept(index_) : value_of_copy();
  }
  /// Takes what such a member has made of it: a `Kept` where it is written.
  template <class Value>
  void take_back([[maybe_unused]] Value value) {
    if constexpr (writes) {
      if (is_here_)
        space_->keep(index_, std::move(value));
      else
        mine_ = std::move(value);
    }
  }
  /// The task has failed there.
  void keep_old() {
    if constexpr (writes)
      if (!is_here_) mine_ = value_of_copy();
  }
  /// At its end.
  void give_back(TaskPart& part) {
    if constexpr (writes)
      if (!is_here_) part.send<Kept>(space_->owner(index_), space_->key(index_, version_), mine_);
    copy_ = TaskRef();
  }

 private:
  const Kept& value_of_copy() const { return static_cast<TaskCopy<Kept>&>(*copy_).value; }

  struct Nothing {};
  Space* space_;
  std::size_t index_;
  bool is_here_;
  std::uint32_t version_ = 0;  // that it writes
  TaskRef copy_;
  [[no_unique_address]] std::conditional_t<writes, Kept, Nothing> mine_{};
};

}  // namespace detail

/// The task reads the item: its function gets it as a constant.
template <class Space>
detail::TaskAccess<Space, false> reads(task_item<Space> item) {
  return {item.space, item.index};
}
/// The task reads the item and may change it.
template <class Space>
detail::TaskAccess<Space, true> writes(task_item<Space> item) {
  return {item.space, item.index};
}

}  // namespace armature
