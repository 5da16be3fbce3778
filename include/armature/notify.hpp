#pragma once

#include <cstdint>

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

namespace armature {

/// Sends a counting signal to another rank, ordered behind the complete puts to it. Once
/// wait_notify returns there, all that this rank has put to it before is there: by blocking calls,
/// or by non-blocking ones that it has waited for. Returns how many times this rank has notified
/// `rank`, this one included.
ARMATURE_API std::uint64_t notify(Rank rank);
/// Waits for the next notification from that rank that was not waited for yet; each is counted
/// once. Returns how many of its notifications have been waited for. Throws Error(rank_lost) when
/// the rank dies. These calls are for the rank's own thread, and for its remote methods. Threads
/// that the program has started make them in turns with it.
ARMATURE_API std::uint64_t wait_notify(Rank from);
/// Takes the next notification from that rank, as wait_notify does, if it has come. Else returns 0,
/// having let others run as rmi_poll does. Never waits.
[[nodiscard]] ARMATURE_API std::uint64_t test_notify(Rank from);

/// A notification, and how many of that rank's have been waited for with it.
struct Notification {
  Rank from = Rank::none();
  std::uint64_t count = 0;

  /// Whether there is one.
  explicit operator bool() const { return count != 0; }
};
/// Waits for the next notification from any rank, the caller among them. No rank is passed over for
/// ever. Each look takes a look at a word of every rank of the job. No death of a rank ends the
/// wait, as others may notify.
ARMATURE_API Notification wait_notify_any();
/// Takes one that has come from any rank; else an empty one, as test_notify does.
[[nodiscard]] ARMATURE_API Notification test_notify_any();

}  // namespace armature
