#include "topology/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

#include "topology/cgroup.hpp"

namespace armature::topology {

std::vector<int> allowed_processors() {
  // The kernel refuses a mask smaller than its own, so grow until it fits.
  for (int processors = CPU_SETSIZE; processors <= 1 << 20; processors *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(
        CPU_ALLOC(static_cast<std::size_t>(processors)), [](cpu_set_t* set) { CPU_FREE(set); });
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(processors));
    CPU_ZERO_S(bytes, mask.get());
    if (sched_getaffinity(0, bytes, mask.get()) != 0) continue;
    std::vector<int> allowed;
    for (int i = 0; i < processors; ++i) {
      if (CPU_ISSET_S(static_cast<std::size_t>(i), bytes, mask.get())) allowed.push_back(i);
    }
    return allowed;
  }
  return {0};
}

int usable_cores() {
  const int allowed = std::max(1, static_cast<int>(allowed_processors().size()));
  const auto quota = cgroup_limits().cpus;
  return quota ? std::clamp(static_cast<int>(std::ceil(*quota)), 1, allowed) : allowed;
}

}  // namespace armature::topology
