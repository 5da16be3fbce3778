#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "command/executable/function_names.hpp"
#include "space/control.hpp"
#include "wait/trace.hpp"

// Events that the processes of a job have written down, as they are read.

namespace armature::command {

struct TracedEvent : wait::TraceEvent {
  int process = 0;
};

/// The events of a job, and how many are lost.
struct Recorded {
  std::vector<TracedEvent> events;  // those of a process as it wrote them
  std::uint64_t lost = 0;           // written over
  std::uint64_t began_ns = 0;       // the time from which the others count

  /// Whether virtual ranks have told of their turns.
  [[nodiscard]] bool has_turns() const;
  /// Leaves the last ones only.
  void keep_last(std::size_t count);
};

/// A process's part: in which file it lies, and its number there.
struct PartOfFile {
  int file;
  const wait::TraceFile& kind;
  int number;
};

/// Adds the events of that process, in a job of so many ranks, from when the others count on.
void read_part(const PartOfFile& from, int process, std::uint32_t ranks, Recorded& recorded);

/// Reads the file of that job. Events from before it has started are of no job. Leaves the last
/// `events_max` only, and never holds many more: a job may have thousands of processes.
[[nodiscard]] Recorded read_events(int file, const wait::TraceFile& kind,
                                   const space::ControlHeader& job,
                                   std::size_t events_max = SIZE_MAX);

/// The names that processes have given.
class TracedNames {
 public:
  /// `file` need not stay open.
  explicit TracedNames(int file);
  TracedNames(const TracedNames&) = delete;
  TracedNames& operator=(const TracedNames&) = delete;
  ~TracedNames();

  /// `otherwise`: where there is none.
  const std::string& at(std::uint32_t number, const char* otherwise);

 private:
  std::string found(std::uint32_t number, const char* otherwise);

  void* const memory_;
  FunctionNames functions_;
  std::map<std::uint32_t, std::string> known_;
};

/// The name of what is waited for.
[[nodiscard]] const char* name_of_wait(std::uint32_t awaiting);

}  // namespace armature::command
