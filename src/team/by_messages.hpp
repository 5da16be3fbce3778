#pragma once

#include "armature/detail/collective.hpp"

namespace armature {
class Team;
}
namespace armature::detail {
class TeamState;
}

// Rounds bring what a member shows to all nodes, where each combines all of it. Long reductions
// between nodes are made of messages instead: an element travels a few times in all. That is above
// this room: collective/.

namespace armature::team {

/// Whether a reduction of so many bytes is made of messages: the same for all who agree on them.
[[nodiscard]] bool goes_by_messages(const detail::TeamState& team, std::size_t bytes);

/// By a member that has given up the round in which all agree: those that have found it complete
/// do not wait for its messages.
void refuse_by_messages(const Team& team, const char* call);

// By all members, who have agreed about the call in a round. The operator is called by the rank's
// own thread.
void allreduce_by_messages(const Team& team, void* data, const detail::Reduction& reduction);
void reduce_by_messages(const Team& team, void* data, const detail::Reduction& reduction, int root);
void scan_by_messages(const Team& team, void* data, const detail::Reduction& reduction,
                      const void* first);

}  // namespace armature::team
