#pragma once

#include <cstdint>
#include <string>

namespace armature::topology {

/// How much more memory this node can give a job, and what sets that bound.
struct MemoryRoom {
  std::uint64_t bytes = 0;
  std::string limit;        // "the memory limit of cgroup /sys/fs/cgroup/... (512.0 MiB)"
  std::uint64_t total = 0;  // the smallest of all limits, whatever is free of it
};

/// The tightest bound: free memory of the machine, the limits of this process's control group and
/// its parents, or the commit limit where overcommit is off. Each is less a part that is not for
/// jobs. Reads /proc and /sys: about 50 us.
MemoryRoom memory_room();

}  // namespace armature::topology
