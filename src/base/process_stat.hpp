#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace armature::base {

/// The kernel's account of a process in /proc/PID/stat.
struct ProcessStat {
  char state = 0;  // 'R', 'S', 'T', 'Z' of one that nobody has waited for yet, ...
  pid_t parent = 0;
  std::uint64_t started = 0;  // in ticks since boot; another one has the same pid later
};

/// Reads that process's, or its thread `tid`'s. Nothing where there is none.
std::optional<ProcessStat> process_stat(pid_t pid, pid_t tid = 0);

/// Whether the kernel is writing the core file of that process, which has died.
bool writes_core_file(pid_t pid);

}  // namespace armature::base
