#pragma once

#include <cstddef>
#include <vector>

namespace armature::tools::bench {

/// Bytes that cannot be packed, others for each seed.
std::vector<std::byte> noise(std::size_t bytes, int seed);

}  // namespace armature::tools::bench
