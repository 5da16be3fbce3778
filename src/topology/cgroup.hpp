#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace armature::topology {

/// The limits that the control groups of this process set for it and everything beside it.
struct CgroupLimits {
  std::optional<double> cpus;                 // how many processors' time
  std::optional<std::uint64_t> memory_bytes;  // the tightest limit on the way to the root
  std::uint64_t memory_used_bytes = 0;        // of the group with that limit
  std::string memory_file;      // where that limit is written, to be named in messages
  std::uint64_t oom_kills = 0;  // processes killed so far for want of memory
};

/// Reads version 2 and version 1 hierarchies, as seen from inside and outside of containers. What
/// cannot be read counts as no limit. `root` is prefixed to /proc and /sys, for tests.
CgroupLimits cgroup_limits(const std::string& root = "");

/// A control group that this process is in.
struct OwnGroup {
  std::string controllers;  // "cpu,cpuacct"; empty in version 2
  std::string path;         // from the root of their hierarchy on
};
/// `root` is prefixed to /proc, for tests.
std::vector<OwnGroup> own_groups(const std::string& root = "");
/// The value after `key` in a file of "key value" lines; 0 where there is none.
std::uint64_t value_of(const std::string& path, const std::string& key);

}  // namespace armature::topology
