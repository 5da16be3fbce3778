#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace armature::command {

/// Runs of a program in the simulator, one for each seed of a range.
struct Schedules {
  std::uint64_t first = 0, last = 0;
  std::vector<std::string> options;  // of `armature run`, with --simulate FIRST-LAST among them
  std::vector<std::string> program;  // with its arguments
};

/// The command line of one of them, which repeats it.
[[nodiscard]] std::vector<std::string> command_of(const Schedules& schedules, std::uint64_t seed);

/// Runs them, as many at a time as there are cores, each as a command of its own with no input. One
/// that passes leaves no output. The first seed that fails, in the order of seeds, is named with
/// the command that repeats it, behind what the run has written; no further ones begin then. Tells
/// now and then how far it is. Returns that run's exit status, or 0.
int try_schedules(const Schedules& schedules);

}  // namespace armature::command
