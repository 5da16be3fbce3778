#pragma once

#include <string>

#include "armature/team.hpp"

namespace armature::detail {

/// Collective: returns what went wrong at the first member where something did, on every member, or
/// nothing. No member returns before all have called.
[[nodiscard]] ARMATURE_API std::string first_mistake(const Team& team, const std::string& mine);

/// Collective: throws Error(bad_argument) of that text on every member, unless nothing went wrong.
ARMATURE_API void require_no_mistake(const Team& team, const std::string& mine);

}  // namespace armature::detail
