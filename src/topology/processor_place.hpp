#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace armature::topology {

/// The parts of a machine in which hardware threads are: each by the first hardware thread that is
/// in it. -1: they are in no one of them in particular, or the system does not say.
struct ProcessorPlace {
  std::int32_t socket = -1, numa = -1, cache = -1, core = -1;
};

/// Returns the place of all these together, as Linux tells it. `system` is its folder of hardware
/// threads.
[[nodiscard]] ProcessorPlace place_of(const std::vector<int>& processors,
                                      const std::string& system = "/sys/devices/system/cpu");

}  // namespace armature::topology
