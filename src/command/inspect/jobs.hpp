#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.hpp"
#include "command/explain/observe.hpp"
#include "space/control.hpp"
#include "wait/trace.hpp"

namespace armature::command {

/// A running job of this machine, opened for reading. Found by the memory files that its launcher
/// holds open; they have no names, but /proc shows them to the job's owner.
class ObservedJob {
 public:
  /// The control block of each node, and the launcher's descriptors of the segments of all ranks,
  /// once for each node.
  ObservedJob(int holder, std::vector<base::FileDescriptor> controls,
              const std::vector<int>& segments);
  ObservedJob(ObservedJob&& other) noexcept;
  ObservedJob& operator=(ObservedJob&&) = delete;
  ~ObservedJob();

  [[nodiscard]] int pid() const { return holder_; }  // of the launcher
  [[nodiscard]] const space::Control& control() const { return control_; }
  /// The control block, to ask something of the job.
  [[nodiscard]] space::Control writable() const;
  [[nodiscard]] bool is_running() const;
  [[nodiscard]] bool has_process(int pid) const;  // the launcher's, or a rank's
  [[nodiscard]] std::string program() const;

  /// Looks at what the ranks are doing, twice within a moment to tell who moves. Opens the segments
  /// for that long: those of many jobs are more than a process may have open.
  [[nodiscard]] Snapshot observe() const;

  /// The events that its processes write down, and its kind; -1 where they write down nothing: only
  /// `armature run` has them do that.
  [[nodiscard]] std::pair<base::FileDescriptor, const wait::TraceFile*> open_trace() const;

 private:
  int holder_;
  std::vector<base::FileDescriptor> control_files_;
  std::vector<int> segments_;
  space::Control control_;
  std::size_t mapped_bytes_ = 0;
};

/// All jobs whose memory this user may look at.
std::vector<ObservedJob> running_jobs();

/// Whether the process has the memory of a job that another version of the library has made.
bool is_job_of_another_version(int pid);

}  // namespace armature::command
