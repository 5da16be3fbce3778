#pragma once

#include <functional>

#include "armature/balance.hpp"
#include "armature/detail/export.hpp"
#include "armature/team.hpp"

namespace armature {

/// Collective: member 0 of the team plans for all, since two who plan may come to different plans:
/// a strategy may be random, or fail in one of them. There `make` makes the plan, and keeps it
/// until each gets its part of it; all get the verdict. What `make` throws member 0 throws, and the
/// others Error(bad_argument) that names the call.
ARMATURE_API balance::Verdict plan_together(const Team& team, const char* call,
                                            const std::function<balance::Verdict()>& make);

}  // namespace armature
