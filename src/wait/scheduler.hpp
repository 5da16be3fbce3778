#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "wait/handoff.hpp"
#include "wait/wait_for.hpp"

namespace armature::wait {

/// Runs several ranks in turn on one thread: what a rank's wait calls instead of spinning, yielding
/// the core and sleeping. Declared here, where ranks wait; implemented by a higher floor.
class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  /// Lets other ranks run. `made_progress`: whether the caller has made progress since the last
  /// time.
  virtual void yield(bool made_progress) = 0;
  /// Yields for a rank whose condition does not hold: until it is notified, where that wait says
  /// so, or for some time.
  virtual Turn wait(bool made_progress, const WaitFor& /*wait*/) {
    yield(made_progress);
    return Turn::look;
  }
  /// How ranks hand their turns over; nullptr where they do not.
  [[nodiscard]] Handoff* handoff() const { return handoff_; }
  /// The wait that called the above is over.
  virtual void waited() {}
  /// Called when the condition of that wait holds: the rank has something to do again, `at_once` or
  /// when others have had a turn.
  virtual void goes_on(bool /*at_once*/) {}
  /// Runs that rank again, which its process was to be told of; false when it is not hosted here.
  virtual bool wakes(int /*process*/, int /*rank*/) { return false; }
  /// When a wait has begun; as exact as is cheap.
  [[nodiscard]] virtual std::uint64_t now_ns() const { return base::now_ns(); }

 protected:
  Handoff* handoff_ = nullptr;
};

}  // namespace armature::wait
