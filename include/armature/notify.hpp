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
/// the rank dies.
ARMATURE_API std::uint64_t wait_notify(Rank from);

}  // namespace armature
