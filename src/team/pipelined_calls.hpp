#pragma once

#include <cstddef>

#include "team/pipelined_round.hpp"

// Short calls that have a root, each as one pipelined round. Buffers may overlap.

namespace armature::team {

void broadcast_pipelined(detail::TeamState& team, const Agreed& agreed, std::byte* buffer);
/// `all`: at the root, a block of agreed.bytes for each member.
void gather_pipelined(detail::TeamState& team, const Agreed& agreed, const std::byte* mine,
                      std::byte* all);
void scatter_pipelined(detail::TeamState& team, const Agreed& agreed, const std::byte* all,
                       std::byte* mine);

}  // namespace armature::team
