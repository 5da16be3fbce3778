#include "topology/cgroup.hpp"

#include <fstream>
#include <sstream>

// A limit may be set on any group on the way from ours to the root, so all of them are read and the
// tightest counts. In a container the path in /proc/self/cgroup may be the host's, which is not
// there: then the root of the mounted hierarchy is our group.

namespace armature::topology {
namespace {

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<std::uint64_t> number(const std::string& path) {
  const auto line = first_line(path);
  if (!line || line->empty() || line->find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;  // "max", "-1": no limit
  }
  std::uint64_t value = 0;
  return (std::istringstream(*line) >> value) ? std::optional(value) : std::nullopt;
}

/// The folders of `path` in a hierarchy, from the group itself to the root.
std::vector<std::string> folders(const std::string& mount, std::string path) {
  std::vector<std::string> result;
  while (path.size() > 1) {
    result.push_back(mount + path);
    path.resize(path.rfind('/'));
  }
  result.push_back(mount);
  return result;
}

void take_cpus(CgroupLimits& limits, double quota, double period) {
  if (period <= 0 || quota <= 0) return;
  const double cpus = quota / period;
  if (!limits.cpus || cpus < *limits.cpus) limits.cpus = cpus;
}

void take_memory(CgroupLimits& limits, const std::string& folder, const char* limit_name,
                 const char* used_name) {
  // Version 1 writes "no limit" as a number just below 2^63.
  constexpr std::uint64_t no_limit = std::uint64_t{1} << 62;
  const auto bytes = number(folder + limit_name);
  if (!bytes || *bytes >= no_limit || (limits.memory_bytes && *bytes >= *limits.memory_bytes)) {
    return;
  }
  limits.memory_bytes = bytes;
  limits.memory_file = folder + limit_name;
  limits.memory_used_bytes = number(folder + used_name).value_or(0);
}

void read_version_2(CgroupLimits& limits, const std::string& mount, const std::string& path) {
  const auto all = folders(mount, path);
  for (const auto& folder : all) {
    if (const auto line = first_line(folder + "/cpu.max")) {
      double quota = 0, period = 0;
      if (std::istringstream(*line) >> quota >> period) take_cpus(limits, quota, period);
    }
    take_memory(limits, folder, "/memory.max", "/memory.current");
  }
  limits.oom_kills += value_of(all.front() + "/memory.events", "oom_kill");
}

void read_version_1(CgroupLimits& limits, const std::string& mount, const std::string& controllers,
                    const std::string& path) {
  const std::string list = "," + controllers + ",";
  if (list.find(",cpu,") != std::string::npos) {
    for (const auto& folder : folders(mount + "/cpu", path)) {
      const auto quota = number(folder + "/cpu.cfs_quota_us");
      const auto period = number(folder + "/cpu.cfs_period_us");
      if (quota && period)
        take_cpus(limits, static_cast<double>(*quota), static_cast<double>(*period));
    }
  }
  if (list.find(",memory,") != std::string::npos) {
    const auto all = folders(mount + "/memory", path);
    for (const auto& folder : all)
      take_memory(limits, folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes");
    limits.oom_kills += value_of(all.front() + "/memory.oom_control", "oom_kill");
  }
}

}  // namespace

std::uint64_t value_of(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value) {
    if (name == key) return value;
  }
  return 0;
}

std::vector<OwnGroup> own_groups(const std::string& root) {
  std::vector<OwnGroup> groups;
  std::ifstream file(root + "/proc/self/cgroup");
  // Lines are "number:controllers:path"; version 2 has number 0 and no controllers.
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    groups.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return groups;
}

CgroupLimits cgroup_limits(const std::string& root) {
  CgroupLimits limits;
  const std::string mount = root + "/sys/fs/cgroup";
  for (const auto& [controllers, path] : own_groups(root)) {
    if (controllers.empty())
      read_version_2(limits, mount, path);
    else
      read_version_1(limits, mount, controllers, path);
  }
  return limits;
}

}  // namespace armature::topology
