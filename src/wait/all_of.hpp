#pragma once

#include <vector>

#include "armature/handle.hpp"

namespace armature::wait {

/// One operation that is over when all of these are. nullptr: all are complete.
[[nodiscard]] armature::detail::Request* all_of(std::vector<Handle> operations);

}  // namespace armature::wait
