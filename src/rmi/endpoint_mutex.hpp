#pragma once

#include <mutex>

namespace armature::rmi {

/// The lock of an endpoint. A thread may take it several times, and let go of all of them at once
/// while it waits.
class EndpointMutex {
 public:
  void lock() {
    mutex_.lock();
    ++depth_;
  }
  [[nodiscard]] bool try_lock() {
    if (!mutex_.try_lock()) return false;
    ++depth_;
    return true;
  }
  void unlock() {
    --depth_;
    mutex_.unlock();
  }

  /// Whether the calling thread, which has it, has locked it more than once.
  [[nodiscard]] bool is_nested() const { return depth_ > 1; }
  /// Unlocks it as often as the calling thread, which has it, has locked it.
  [[nodiscard]] int let_go_of_all() {
    const int depth = depth_;
    depth_ = 0;
    for (int i = 0; i < depth; ++i) mutex_.unlock();
    return depth;
  }
  void take_again(int depth) {
    for (int i = 0; i < depth; ++i) mutex_.lock();
    depth_ = depth;
  }

 private:
  std::recursive_mutex mutex_;
  int depth_ = 0;  // of the thread that has it
};

}  // namespace armature::rmi
