#pragma once

#include <cstdint>
#include <string>

namespace armature::command {

/// The trace of a job whose processes another launcher starts, maybe on other machines. Each
/// process writes a file of its own beside the trace. They are read where the folder is one that
/// all machines share, and their clocks are compared by the time of day.
class OwnTraces {
 public:
  /// The environment tells processes that are started from now on; what an earlier job has left is
  /// removed. `path` is empty where nobody has asked for a trace. Throws Error(start) when it
  /// cannot be written.
  OwnTraces(std::string path, std::uint32_t processes);
  OwnTraces(const OwnTraces&) = delete;
  OwnTraces& operator=(const OwnTraces&) = delete;
  ~OwnTraces();

  /// Writes what was asked for, and removes the processes' files. Says what is missing. False when
  /// it cannot be written, which is said, too.
  [[nodiscard]] bool write() const;

 private:
  [[nodiscard]] std::string path_of(std::uint32_t process) const;

  const std::string path_;
  const std::uint32_t processes_;
};

}  // namespace armature::command
