#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// The local graph of a rank: its tasks, and what it sends and receives for them. Used by the rank's
// own thread alone.

namespace armature::detail {

class TaskEngine;

/// One thing that a rank does once all that it depends on is done.
class TaskNode {
 public:
  /// A task waits for its turn; a stealable one may have it at another member. Others are done as
  /// soon as they may be: they send or keep a value.
  enum class Kind : std::uint8_t { task, stealable, transfer };

  explicit TaskNode(Kind kind) : kind_(kind) {}
  TaskNode(const TaskNode&) = delete;
  TaskNode& operator=(const TaskNode&) = delete;
  virtual ~TaskNode() = default;

  virtual void run() = 0;
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_done() const { return is_done_; }

 private:
  friend class TaskEngine;
  friend class TaskRef;
  std::uint32_t references_ = 0;
  std::uint32_t awaited_ = 1;  // what it depends on, and the end of its own description
  const Kind kind_;
  bool is_done_ = false;
  std::vector<TaskNode*> successors_;
};

/// Keeps a node alive.
class TaskRef {
 public:
  TaskRef() = default;
  explicit TaskRef(TaskNode* node) : node_(node) {
    if (node_ != nullptr) ++node_->references_;
  }
  TaskRef(const TaskRef& other) : TaskRef(other.node_) {}
  TaskRef(TaskRef&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  TaskRef& operator=(TaskRef other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~TaskRef() {
    if (node_ != nullptr && --node_->references_ == 0) delete node_;
  }

  [[nodiscard]] TaskNode* get() const { return node_; }
  TaskNode& operator*() const { return *node_; }
  explicit operator bool() const { return node_ != nullptr; }

 private:
  TaskNode* node_ = nullptr;
};

}  // namespace armature::detail
