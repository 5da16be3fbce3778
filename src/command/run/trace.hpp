#pragma once

#include <string>

#include "base/file_descriptor.hpp"
#include "space/control.hpp"
#include "wait/trace.hpp"

namespace armature::command {

/// The memory file in which the processes of a job write down what happens, and what is made of it:
/// the trace of `armature run --trace FILE`, or the last events of a job that has crashed.
class Trace {
 public:
  /// The environment tells those that are started from now on. `path` is empty where nobody has
  /// asked for a trace. There is room for processes that come later, too. Throws Error(start) when
  /// it cannot be written.
  Trace(std::string path, const space::ControlHeader& job);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace();

  /// Writes what was asked for: as a page where the path ends with .html, else for Perfetto. Says
  /// what is missing. False when it cannot be written, which is said, too.
  [[nodiscard]] bool write(const space::ControlHeader& job) const;
  /// Writes the last events where a rank has crashed and nobody has asked for a trace, and says
  /// where.
  void write_after_crash(const space::Control& control) const;

 private:
  const std::string path_;
  const wait::TraceFile& kind_;
  base::FileDescriptor output_, events_;
};

}  // namespace armature::command
