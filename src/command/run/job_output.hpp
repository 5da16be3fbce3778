#pragma once

#include <poll.h>
#include <unistd.h>

#include <functional>
#include <vector>

#include "command/run/console.hpp"
#include "command/run/labels.hpp"
#include "command/run/output.hpp"
#include "command/run/shutdown.hpp"
#include "command/run/signals.hpp"

namespace armature::command {

/// The output of the job: what ranks write, with labels if those are wanted, and what the launcher
/// itself says. Both go on as fast as they are read, and nobody waits for a reader.
class JobOutput {
 public:
  JobOutput(const JobView& job, Shutdown& shutdown) : job_(job), shutdown_(shutdown) {}

  /// Returns where that process is to write to, if not to where we do.
  [[nodiscard]] Labels::Ends open(const LaunchedProcess& process);
  /// Appends what to poll for.
  void add_to(std::vector<pollfd>& polled) const;
  /// Passes on what ranks have written so far.
  void pass_on() { labels_.pass_on(); }
  /// More is written of what waits. Where it is lost, as on a full disk, the job has failed. That
  /// nobody reads it is up to the ranks: their pipes are closed.
  void write();
  /// All ranks are gone: what they have written last.
  void finish_labels() { labels_.finish(); }
  /// All ranks are gone. Somebody may read what they have written page by page, and has all the
  /// time that the job has: until `is_cut_short`, which is asked whenever a signal may have come.
  void write_the_rest(const Signals& signals, const std::function<bool()>& is_cut_short);

 private:
  const JobView& job_;
  Shutdown& shutdown_;
  Outputs outputs_;
  const SayThrough say_through_{outputs_.of(STDERR_FILENO)};
  Labels labels_{outputs_};
  bool is_lost_ = false;
};

}  // namespace armature::command
