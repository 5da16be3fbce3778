#pragma once

#include <chrono>
#include <string>

#include "bootstrap/presence.hpp"

namespace armature::bootstrap {

/// A wait for all processes of a job. After 10 s it says on standard error whom the job waits for,
/// once in a process; in the end it gives up.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  /// `presence`: nullptr where nothing is known of it.
  Patience(std::chrono::milliseconds patience, int processes, const Presence* presence);

  /// Returns when to look again, if nothing has come by then. Throws Error(start) in the end.
  Clock::time_point look();

 private:
  [[nodiscard]] std::string whom_it_waits_for() const;
  [[noreturn]] void give_up() const;

  const Presence* const presence_;
  const int processes_;
  const Clock::time_point until_, speaks_;
};

}  // namespace armature::bootstrap
