#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "space/network_counters.hpp"

namespace armature::command {

/// A count of a process's network, each with the name that `inspect --json` gives it.
struct NetworkCount {
  const char* name;
  std::atomic<std::uint64_t> space::NetworkCounters::*place;
};
inline constexpr std::array<NetworkCount, 7> network_counts{{
    {"server_sleeps", &space::NetworkCounters::server_sleeps},
    {"memory_registered", &space::NetworkCounters::registered},
    {"memory_reused", &space::NetworkCounters::reused},
    {"memory_evicted", &space::NetworkCounters::evicted},
    {"memory_refused", &space::NetworkCounters::refused},
    {"bytes_copied_out", &space::NetworkCounters::copied_out},
    {"bytes_copied_in", &space::NetworkCounters::copied_in},
}};

/// These counts, as they were at a look.
struct NetworkSeen {
  bool server_polls = false;
  std::array<std::uint64_t, network_counts.size()> counts = {};
};

}  // namespace armature::command
