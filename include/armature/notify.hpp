#pragma once

#include <cstdint>

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

namespace armature {

/// A counting signal from one rank to another, ordered behind the puts to it that are complete:
/// once wait_notify returns, all that `from` has put to this rank before its notify, by blocking
/// calls or by non-blocking ones it has waited for, is there. Returns how many times this rank has
/// notified `rank`, this one included.
ARMATURE_API std::uint64_t notify(Rank rank);
/// Waits for the next notification from that rank that was not waited for yet; each is counted
/// once. Returns how many of its notifications have been waited for. Throws Error(rank_lost) when
/// the rank dies.
ARMATURE_API std::uint64_t wait_notify(Rank from);

}  // namespace armature
