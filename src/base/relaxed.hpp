#pragma once

#include <atomic>

namespace armature::base {

/// Short for use in files full of words that order nothing: hints, or words of ranks that do not
/// run just then. Each says why.
inline constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace armature::base
