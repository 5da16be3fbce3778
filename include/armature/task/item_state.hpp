#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "armature/task/engine.hpp"
#include "armature/task/node.hpp"

namespace armature::detail {

/// The state of an item, as a member knows it after the tasks that it has described. The owner
/// knows who reads and writes there. All members count the same versions.
class TaskItemState {
 public:
  [[nodiscard]] std::uint32_t version() const { return version_; }

  // -- at the owner
  /// The node reads the value that is there now.
  void read_by(TaskNode& node) {
    TaskEngine::order(node, writer_.get());
    if (readers_.size() == readers_.capacity())
      std::erase_if(readers_, [](const TaskRef& reader) { return reader.get()->is_done(); });
    readers_.emplace_back(&node);
  }
  /// The node writes the next one.
  void written_by(TaskNode& node) {
    TaskEngine::order(node, writer_.get());
    for (const TaskRef& reader : readers_) TaskEngine::order(node, reader.get());
    readers_.clear();
    writer_ = TaskRef(&node);
    changed();
  }
  /// Whether the member has to be sent this version: true once.
  bool must_be_sent_to(int member) {
    if (std::ranges::find(sent_to_, member) != sent_to_.end()) return false;
    sent_to_.push_back(member);
    return true;
  }

  // -- elsewhere
  /// This version, if this member has asked for it already.
  [[nodiscard]] const TaskRef& copy() const { return copy_; }
  void keep(TaskRef copy) { copy_ = std::move(copy); }

  /// A task writes it, here or elsewhere.
  void changed() {
    ++version_;
    sent_to_.clear();
    copy_ = TaskRef();
  }

 private:
  std::uint32_t version_ = 0;
  TaskRef writer_;
  std::vector<TaskRef> readers_;
  std::vector<int> sent_to_;
  TaskRef copy_;
};

}  // namespace armature::detail
