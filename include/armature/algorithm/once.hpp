#pragma once

#include <concepts>
#include <utility>

#include "armature/team.hpp"

// Messages: none.

namespace armature {

/// Collective: f() runs on one member of the team, for output and the like; the others go on.
template <std::invocable F>
void once(const Team& team, F&& f) {
  if (team.rank() == 0) std::forward<F>(f)();
}

}  // namespace armature
