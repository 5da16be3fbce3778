#pragma once

#include <cstdint>

namespace armature::progress {

/// Runs several ranks in turn on one thread: what a rank's wait calls instead of spinning, yielding
/// the core and sleeping. Declared here, where ranks wait; implemented by a higher floor.
class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  /// Lets other ranks run. `got_on`: whether the caller has got anything done since the last time.
  virtual void yield(bool got_on) = 0;
};

}  // namespace armature::progress
