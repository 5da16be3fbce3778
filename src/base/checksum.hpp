#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace armature::base {

/// XXH3 of the bytes, 64 bits. Notices damage, not malice. Goes on from the sum of what came
/// before, so that a piece that is missing, doubled or out of its place is noticed too.
std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t before = 0);
inline std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t before = 0) {
  return checksum(bytes.data(), bytes.size(), before);
}

}  // namespace armature::base
