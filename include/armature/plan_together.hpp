#pragma once

#include <functional>
#include <span>

#include "armature/balance.hpp"
#include "armature/detail/export.hpp"
#include "armature/team.hpp"

namespace armature {

/// Collective: member 0 of the team plans for all, since two who plan may come to different plans:
/// a strategy may be random, or fail in one of them. There `fill` writes into `plan`, which has the
/// same length everywhere; all get that and the verdict. What `fill` throws member 0 throws, and
/// the others Error(bad_argument) that names the call.
ARMATURE_API balance::Verdict plan_together(const Team& team, const char* call, std::span<int> plan,
                                            const std::function<balance::Verdict()>& fill);

}  // namespace armature
