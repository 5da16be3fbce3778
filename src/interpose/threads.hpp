#pragma once

#include <atomic>
#include <cstdint>

namespace armature::interpose {

/// How many there are in this process that ranks have started, and that have not ended.
[[gnu::visibility("hidden")]] extern constinit std::atomic<std::uint32_t> threads_of_ranks;

}  // namespace armature::interpose
