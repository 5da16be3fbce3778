#pragma once

#include <vector>

#include "armature/handle.hpp"

namespace armature::progress {

/// One operation that is over when all of these are. nullptr: all are complete.
[[nodiscard]] detail::Request* all_of(std::vector<Handle> operations);

}  // namespace armature::progress
