#pragma once

#include <array>
#include <cstddef>

namespace armature::bootstrap {

/// Known to the processes of one job and to nobody else.
using Secret = std::array<std::byte, 32>;

}  // namespace armature::bootstrap
