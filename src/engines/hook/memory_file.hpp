#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace armature::transport {

/// A place in a file that this process has open.
struct MemoryFile {
  int descriptor;
  std::uint64_t offset;
};

/// The file that this process shares at all of these addresses, in one piece; nothing where there
/// is none, or the process does not have it open.
[[nodiscard]] std::optional<MemoryFile> memory_file_behind(std::span<const std::byte> memory);

}  // namespace armature::transport
