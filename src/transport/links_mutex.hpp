#pragma once

#include <mutex>
#include <optional>

#include "base/process_memory.hpp"

namespace armature::transport {

/// What all links of a process are used under. Whoever holds it allocates for the process: packets,
/// tables, what the engine keeps.
class LinksMutex {
 public:
  void lock() {
    mutex_.lock();
    enter();
  }
  bool try_lock() {
    if (!mutex_.try_lock()) return false;
    enter();
    return true;
  }
  void unlock() {
    if (--depth_ == 0) memory_.reset();
    mutex_.unlock();
  }

 private:
  void enter() {
    if (depth_++ == 0) memory_.emplace();
  }

  std::recursive_mutex mutex_;
  int depth_ = 0;
  std::optional<base::ProcessMemory> memory_;
};

}  // namespace armature::transport
