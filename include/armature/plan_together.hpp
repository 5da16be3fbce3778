#pragma once

#include <functional>

#include "armature/decide_at_root.hpp"

namespace armature {

/// Deprecated: decide_at_root under the name that it had.
[[deprecated("use decide_at_root")]] ARMATURE_API balance::Verdict plan_together(
    const Team& team, const char* call, const std::function<balance::Verdict()>& make);

}  // namespace armature
