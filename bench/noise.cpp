#include "bench/noise.hpp"

#include <cstdint>
#include <cstring>

namespace armature::bench {

void fill_with_noise(std::span<std::byte> memory, int seed) {
  auto word = 0x9e37'79b9'7f4a'7c15 + static_cast<std::uint64_t>(seed);
  for (std::size_t i = 0; i + sizeof word <= memory.size(); i += sizeof word) {
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
    std::memcpy(memory.data() + i, &word, sizeof word);
  }
}

std::vector<std::byte> noise(std::size_t bytes, int seed) {
  std::vector<std::byte> memory(bytes);
  fill_with_noise(memory, seed);
  return memory;
}

}  // namespace armature::bench
