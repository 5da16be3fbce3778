#pragma once

#include <cstdint>
#include <string>

#include "command/inspect/jobs.hpp"
#include "command/run/node_request.hpp"

// Requests of `armature resize` and `armature join` to a running job, and waiting for its
// launcher's answer.

namespace armature::command {

/// The job of that process, which is its launcher, or one of its ranks'. A launcher that has just
/// been started may have no job yet: that is waited for. Throws Error(bad_argument) if there is
/// none, and says so where it is a job of another version of the library.
ObservedJob job_of(int pid);

/// The command which would start the job anew: of a job that another launcher has started for it,
/// that is above that one. 0: there is none here.
int command_of(const ObservedJob& job);

/// A request to a job, and to the same job when it goes on in other processes: then it has memory
/// of its own. The launcher closes the old memory to requests before it looks there for the last
/// time, so each request is either taken along, or not made there: then it is made to the new job.
class AskedJob {
 public:
  AskedJob(ObservedJob job, AskedWord word);

  [[nodiscard]] const space::ControlHeader& job() const { return *header_; }
  [[nodiscard]] bool is_there() const;
  /// Waits until the launcher has answered, for that long. Throws Error(misuse) when the job ends
  /// before, or does not answer, or says why it cannot be.
  void await(double timeout_s);

 private:
  [[nodiscard]] bool is_answered() const;
  void ask();
  void follow();
  [[nodiscard]] std::string why_it_takes_long() const;

  const int pid_;
  const bool has_launcher_;
  const std::int32_t nodes_;
  const AskedWord word_;
  space::ControlHeader* header_;
  bool is_asked_ = false;  // else the job was about to go on elsewhere
  std::uint32_t request_ = 0;
  bool is_started_ = false;
};

}  // namespace armature::command
