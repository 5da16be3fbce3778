#pragma once

#include <memory>

#include "armature/detail/collective.hpp"
#include "team/adaptive.hpp"

namespace armature {
class Team;
}
namespace armature::detail {
class TeamState;
}

// Rounds bring what a member shows to all nodes, where each combines all of it. Long reductions
// between nodes are made of messages instead: an element travels a few times in all. That is above
// this room: collective/.
//
// Messages need memory that rounds do not: mailboxes, of a segment that may be full.
//
// Invariant: all members go by messages, or all by rounds. Each takes the memory first, and shows
// in a round, in which all agree about the call, whether it lacks some. No message is sent before.

namespace armature::team {

/// Whether a reduction of so many bytes is made of messages: the same for all who agree on them,
/// and on the way.
[[nodiscard]] bool goes_by_messages(const detail::TeamState& team, std::size_t bytes, Way way);

/// By a member that has given up the round in which all agree: those that have found it complete
/// do not wait for its messages.
void refuse_by_messages(const Team& team, const char* call);

/// One member's part of a reduction, with the memory that it needs.
class ByMessages {
 public:
  ByMessages() = default;
  ByMessages(const ByMessages&) = delete;
  ByMessages& operator=(const ByMessages&) = delete;
  virtual ~ByMessages() = default;

  /// Makes the reduction. All members call it once each has its part; the calling thread calls the
  /// operator.
  virtual void run() = 0;
};

// Data and operator are used until the part is run, or let go of. nullptr: there is no memory.
[[nodiscard]] std::unique_ptr<ByMessages> allreduce_by_messages(const Team& team, void* data,
                                                                const detail::Reduction& reduction,
                                                                Way way);
[[nodiscard]] std::unique_ptr<ByMessages> reduce_by_messages(const Team& team, void* data,
                                                             const detail::Reduction& reduction,
                                                             int root);
[[nodiscard]] std::unique_ptr<ByMessages> scan_by_messages(const Team& team, void* data,
                                                           const detail::Reduction& reduction,
                                                           const void* first);

}  // namespace armature::team
