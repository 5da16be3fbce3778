#pragma once

#include <cstddef>
#include <span>

#include "team/exposed.hpp"
#include "team/team_state.hpp"

// Long data of collectives. Rounds pass them through 32 KiB of each member, and a round costs ranks
// that share cores a switch each. So members that have data for others show where these lie, in one
// round; the others read them there, on a node by a copy, from another node by a get; and one round
// more says that all have read. Memory of another process outside the segments is read by the
// kernel, where that is allowed and fast (kernel_reads.hpp). Other memory that cannot be read goes
// in steps through a window in its rank's segment: one round a step, of which one is filled while
// the one before is read.

namespace armature::team {

/// A block that this member wants from that one, and where to.
struct Wanted {
  int member;
  std::size_t block;
  std::byte* to;
};

/// Whether a round takes longer than copying what it moves: members are on other nodes, or are
/// processes or threads that share cores. The same at all members.
[[nodiscard]] bool rounds_are_long(const detail::TeamState& team);

/// Whether all members of the team are on one node, or each on another: then nothing is got twice
/// by the same node when each member gets what it wants.
[[nodiscard]] bool is_one_or_each(const detail::TeamState& team);

/// True once the wanted blocks are there and others have read this member's. All members enter the
/// same number of rounds: two where all sources can be read where they are. False at all members,
/// after one round, where a member has no memory for a window, or wants rounds. Throws as a round
/// does.
[[nodiscard]] bool exchange(detail::TeamState& team, const detail::TeamState::Agreed& agreed,
                            const char* call, Flow flow, const Source& mine,
                            std::span<const Wanted> wanted);

/// An exchange of the agreed root's data, which all members want. Each node gets them once.
[[nodiscard]] bool broadcast_exposed(detail::TeamState& team,
                                     const detail::TeamState::Agreed& agreed, const char* call,
                                     std::byte* data);

}  // namespace armature::team
