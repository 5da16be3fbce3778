#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "armature/error.hpp"
#include "armature/task/engine.hpp"
#include "armature/task/item_state.hpp"
#include "armature/task/part.hpp"

namespace armature {

/// Names an item that tasks read or write.
template <class Space>
struct task_item {
  Space* space;
  std::size_t index;
};

namespace detail {

/// The items of one kind of data of a graph, and what is known of each. Derived classes know where
/// they lie.
class TaskSpace {
 public:
  TaskSpace(const TaskSpace&) = delete;
  TaskSpace& operator=(const TaskSpace&) = delete;

  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] TaskItemState& state(std::size_t i) { return states_[i]; }
  [[nodiscard]] TaskKey key(std::size_t i, std::uint32_t version) const {
    return {number_, version, i};
  }

 protected:
  TaskSpace(TaskPart& part, std::size_t count) : number_(part.add_space()), states_(count) {}
  ~TaskSpace() = default;

  /// Throws Error(bad_argument) unless there is an item of that number.
  std::size_t checked(std::size_t i, const char* what) const {
    if (i >= size()) [[unlikely]]
      throw Error(Errc::bad_argument, std::string(what) + ": there is no item " +
                                          std::to_string(i) + " in one of " +
                                          std::to_string(size()));
    return i;
  }

 private:
  std::uint32_t number_;
  std::vector<TaskItemState> states_;
};

/// The last member of each kind of data, so that it ends first: what tasks use stays until they are
/// done. Where an exception is under way they are dropped instead.
class TaskUse {
 public:
  explicit TaskUse(TaskEngine& engine) : engine_(engine) {}
  TaskUse(const TaskUse&) = delete;
  TaskUse& operator=(const TaskUse&) = delete;
  ~TaskUse() { engine_.end_use(exceptions_); }

 private:
  TaskEngine& engine_;
  int exceptions_ = std::uncaught_exceptions();
};

/// Throws Error(bad_argument) unless the team has that member.
inline int checked_owner(const Team& team, int owner, std::size_t i, const char* what) {
  if (owner < 0 || owner >= team.size())
    throw Error(Errc::bad_argument, std::string(what) + ": item " + std::to_string(i) +
                                        " is given to member " + std::to_string(owner) +
                                        " of a team of " + std::to_string(team.size()));
  return owner;
}

}  // namespace detail
}  // namespace armature
