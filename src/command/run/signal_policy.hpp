#pragma once

#include "command/run/checkpoints.hpp"
#include "command/run/shutdown.hpp"
#include "command/run/signals.hpp"
#include "command/run/time_watch.hpp"

namespace armature::command {

/// Does with signals what is to be done: most are for the ranks.
class SignalPolicy {
 public:
  SignalPolicy(const JobView& job, const Signals& signals, Shutdown& shutdown, TimeWatch& time,
               Checkpoints& checkpoints)
      : job_(job), signals_(signals), shutdown_(shutdown), time_(time), checkpoints_(checkpoints) {}

  /// All that have arrived.
  void handle();
  /// Handles signals when no rank is left. Returns whether somebody wants the launcher to end: then
  /// a reader that takes nothing of its output for a moment gets no more.
  [[nodiscard]] bool is_writing_cut_short();

 private:
  void pass_on(Signals::Arrived signal);
  void stop_with_the_ranks();
  void ask_program_for_checkpoint();

  const JobView& job_;
  const Signals& signals_;
  Shutdown& shutdown_;
  TimeWatch& time_;
  Checkpoints& checkpoints_;
  bool interrupted_ = false;
};

}  // namespace armature::command
