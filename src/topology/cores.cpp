#include "topology/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace armature::topology {
namespace {

/// The quota of the own control group (version 2) in whole cores, rounded up; or a large number.
int quota_cores() {
  constexpr int none = 1 << 20;
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line) && line.rfind("0::", 0) != 0) {
  }
  if (line.rfind("0::", 0) != 0) return none;
  std::ifstream in("/sys/fs/cgroup" + line.substr(3) + "/cpu.max");
  std::string quota;
  long period = 0;
  if (!(in >> quota >> period) || quota == "max" || period <= 0) return none;
  const long cores = (std::strtol(quota.c_str(), nullptr, 10) + period - 1) / period;
  return static_cast<int>(std::clamp(cores, 1L, static_cast<long>(none)));
}

int affinity_cores() {
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(cpus));
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus));
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    const int count = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (known) return std::max(count, 1);
  }
  return 1;
}

}  // namespace

int usable_cores() { return std::min(affinity_cores(), quota_cores()); }

}  // namespace armature::topology
