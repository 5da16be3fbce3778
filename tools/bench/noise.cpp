#include "bench/noise.hpp"

#include <cstdint>
#include <cstring>

namespace armature::tools::bench {

std::vector<std::byte> noise(std::size_t bytes, int seed) {
  std::vector<std::byte> memory(bytes);
  auto word = 0x9e37'79b9'7f4a'7c15 + static_cast<std::uint64_t>(seed);
  for (std::size_t i = 0; i + sizeof word <= bytes; i += sizeof word) {
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
    std::memcpy(memory.data() + i, &word, sizeof word);
  }
  return memory;
}

}  // namespace armature::tools::bench
