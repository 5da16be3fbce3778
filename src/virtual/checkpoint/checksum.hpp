#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace armature::checkpoints {

/// Notices damage, not malice. Goes on from the sum of what came before, so that a block that is
/// missing, doubled or out of its place is noticed too. Four words at a time, at the speed of
/// memory.
inline std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t before) {
  constexpr std::uint64_t factor = 0x9e37'79b9'7f4a'7c15, other = 0xc2b2'ae3d'27d4'eb4f;
  const auto turned = [](std::uint64_t word) { return word << 31 | word >> 33; };
  std::uint64_t lane[4] = {before ^ factor, before + other, ~before, before ^ other};
  const auto* at = static_cast<const std::byte*>(data);
  std::size_t left = bytes;
  for (; left >= sizeof lane; left -= sizeof lane, at += sizeof lane) {
    std::uint64_t words[4];
    std::memcpy(words, at, sizeof words);
    for (int i = 0; i < 4; ++i) lane[i] = turned(lane[i] ^ words[i] * other) * factor;
  }
  std::uint64_t rest[4] = {};
  std::memcpy(rest, at, left);
  std::uint64_t sum = bytes;
  for (int i = 0; i < 4; ++i) {
    sum = turned(sum ^ lane[i]) * factor + rest[i];
    sum = (sum ^ sum >> 29) * other;
  }
  return sum ^ sum >> 32;
}

}  // namespace armature::checkpoints
