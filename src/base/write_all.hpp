#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::base {

/// All bytes, in as many pieces as the system takes, waiting where it takes no more for now. False
/// when it does not; errno says why.
[[nodiscard]] bool write_all(int file, const void* data, std::size_t bytes);
/// Writes all bytes at that offset.
[[nodiscard]] bool write_all_at(int file, const void* data, std::size_t bytes,
                                std::uint64_t offset);

}  // namespace armature::base
