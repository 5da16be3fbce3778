#pragma once

#include "command/run/shutdown.hpp"
#include "command/run/stall.hpp"

namespace armature::command {

/// Ends a job whose time is up (--timeout), and says what the ranks of one do that does not move
/// (--stall).
class TimeWatch {
 public:
  TimeWatch(const JobView& job, Shutdown& shutdown);

  [[nodiscard]] bool is_up() const;
  /// To be called now and then.
  void look();
  /// Ranks could not move until now: the job was stopped, or had not begun.
  void restart();

 private:
  const JobView& job_;
  Shutdown& shutdown_;
  StallWatch stall_;
};

}  // namespace armature::command
