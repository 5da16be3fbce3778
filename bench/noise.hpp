#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace armature::bench {

/// Bytes that cannot be packed, others for each seed.
void fill_with_noise(std::span<std::byte> memory, int seed);
std::vector<std::byte> noise(std::size_t bytes, int seed);

}  // namespace armature::bench
