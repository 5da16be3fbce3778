#pragma once

#include "wait/poller.hpp"

namespace armature::wait {

/// While it is there the calling rank polls, from before it sends what it waits for, and suppresses
/// the network's progress thread: the answer need not wake that. It does not where ranks take turns
/// on the cores, or others want them: who polls there may be away for long. What the rank leaves is
/// done later. Nothing for virtual ranks, whose process polls.
class SuppressThread {
 public:
  SuppressThread();
  ~SuppressThread() {
    if (poller_ != nullptr) poller_->thread().resume();
  }
  SuppressThread(const SuppressThread&) = delete;
  SuppressThread& operator=(const SuppressThread&) = delete;

 private:
  Poller* poller_;
};

}  // namespace armature::wait
