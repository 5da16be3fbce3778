#pragma once

#include <cstdint>

namespace armature::space {

/// Makes all pages of that part of a memory file, so that no access fails later for want of memory.
/// False, with errno, when there is too little; some may be made by then.
[[nodiscard]] bool reserve(int file, std::uint64_t begin, std::uint64_t bytes);

}  // namespace armature::space
