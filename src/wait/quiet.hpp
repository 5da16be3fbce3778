#pragma once

#include "wait/poller.hpp"

namespace armature::wait {

/// While it is there the calling rank polls, from before it sends what it waits for: the answer
/// need not wake the service thread, but where ranks take turns on the cores, or others want them:
/// who polls there may be away for long. What it leaves is done later. Nothing for virtual ranks,
/// whose process polls.
class Quiet {
 public:
  Quiet();
  ~Quiet() {
    if (poller_ != nullptr) poller_->hear_again();
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  Poller* poller_;
};

}  // namespace armature::wait
