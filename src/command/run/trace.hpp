#pragma once

#include <cstdint>
#include <string>

#include "base/file_descriptor.hpp"

namespace armature::command {

/// `armature run --trace FILE`: where the processes of a job write down what happens, and the trace
/// that is made of it.
class Trace {
 public:
  /// The environment tells those that are started from now on. Throws Error(start) when `path`
  /// cannot be written.
  Trace(std::string path, std::uint32_t processes_max);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace();

  /// Chrome's trace events, which Perfetto opens: a thread for each rank in each process where it
  /// has been. Says what is missing. False when it cannot be written, which is said, too.
  [[nodiscard]] bool write(std::uint64_t job_started_ns) const;

 private:
  const std::string path_;
  const std::uint32_t processes_max_;
  base::FileDescriptor output_, events_;
};

}  // namespace armature::command
