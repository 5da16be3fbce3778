#pragma once

#include <functional>

#include "armature/balance.hpp"
#include "armature/detail/export.hpp"
#include "armature/team.hpp"

namespace armature {

/// Collective: member 0 of the team makes a plan, and its verdict is broadcast. Two members who
/// plan may come to different plans: a strategy may be random, or fail in one of them. `make` runs
/// at member 0 alone, and keeps the plan until each member gets its part of it. What `make` throws
/// member 0 throws, and the others throw Error(bad_argument) that names the call.
ARMATURE_API balance::Verdict decide_at_root(const Team& team, const char* call,
                                             const std::function<balance::Verdict()>& make);

}  // namespace armature
