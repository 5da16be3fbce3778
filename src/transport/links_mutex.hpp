#pragma once

#include <mutex>
#include <optional>

#include "base/process_memory.hpp"

namespace armature::transport {

/// The mutex under which all links of a process are used. A thread that holds it allocates for the
/// process: packets, tables, and what the engine keeps.
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
