#pragma once

#include <cstddef>

namespace armature::bench {

/// Memory of this process that is not a file's: its own, and its part of what processes share.
[[nodiscard]] std::size_t resident_bytes();

}  // namespace armature::bench
