#pragma once

#include "command/run/filling.hpp"
#include "command/run/time_watch.hpp"

namespace armature::command {

/// How a job begins: its memory is filled, if it goes on from a checkpoint, and its ranks join.
class StartWatch {
 public:
  /// `filling` is nullptr where the memory is as it should be.
  StartWatch(const JobView& job, Shutdown& shutdown, TimeWatch& time, const Filling* filling)
      : job_(job), shutdown_(shutdown), time_(time), filling_(filling) {}

  [[nodiscard]] bool is_filling() const { return filling_ != nullptr; }
  /// Known as far as it is said (LaunchOptions::tells_times).
  [[nodiscard]] bool all_have_joined() const { return joined_; }
  /// To be called now and then.
  void look();

 private:
  void watch_joining();
  void tell_lost_time();
  void watch_filling();

  const JobView& job_;
  Shutdown& shutdown_;
  TimeWatch& time_;
  const Filling* filling_;
  bool joined_ = false, go_on_ = false;
};

}  // namespace armature::command
