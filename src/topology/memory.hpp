#pragma once

#include <cstdint>
#include <string>

namespace armature::topology {

/// How much more memory this node can give a job, and what sets that bound.
struct MemoryRoom {
  std::uint64_t bytes = 0;
  std::string limit;  // "the memory limit of cgroup /sys/fs/cgroup/... (512.0 MiB)"
};

/// The tightest of: free memory of the machine, the limits of this process's control group and its
/// parents, the commit limit where overcommit is off, RLIMIT_FSIZE. Reads /proc and /sys: about 100
/// us.
MemoryRoom memory_room();

}  // namespace armature::topology
