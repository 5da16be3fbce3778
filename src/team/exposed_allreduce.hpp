#pragma once

#include <cstddef>

#include "team/guarded_reduction.hpp"
#include "team/team_state.hpp"

// A long allreduce on one node, of data that members read where the others have them
// (exposure.hpp). Member i combines block i of all, in team order; then all read the results.

namespace armature::team {

/// Reduces what it can of the elements, from the first on, and returns how many these are: none, or
/// all but a few. The same at all members.
[[nodiscard]] std::size_t allreduce_exposed(detail::TeamState& team, std::byte* data,
                                            const GuardedReduction& reduction);

}  // namespace armature::team
