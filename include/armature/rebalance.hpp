#pragma once

#include "armature/balance.hpp"
#include "armature/detail/export.hpp"
#include "armature/world.hpp"

namespace armature {

/// Collective over all ranks: each goes to the process that the strategy says, by the time that it
/// has computed since the last rebalance. That is measured from the first one on, which moves
/// nobody (with `armature run --balance`, from the start). Links are the bytes that ranks have
/// moved to and from each other since then where they are recorded (`armature run --record-links`),
/// else their remote calls; of each rank to the 32 with which it has most to do. Groups are nodes,
/// where there are several. A process whose processor other programs use, too, or whose processor
/// is slower than others, is a slower place (balance::Problem::speeds). A rank that holds something
/// of its process (Pinned) stays. Rank 0 asks its strategy, and what that throws it throws; the
/// others throw Error(bad_argument) then. Every rank gets what there was and what becomes of it.
/// Ranks that are not virtual stay where they are: the verdict is one of nothing, and the line of
/// the log says so. With balance::distributed one rank of each process exchanges loads with those
/// of others, and of loads elsewhere none knows more than O(log n), with n processes (unless
/// `record` is set); nobody knows links then.
///
/// when_due is for a loop that calls this in every step. Then ranks move only when it is due: every
/// so often by rank 0's clock (`armature run --rebalance-every`, or ARMATURE_REBALANCE_EVERY=30s),
/// counted from the last time. They move only if that saves more time than the last move took, or a
/// quarter of what goes between processes by links, at two times in a row and as well balanced.
/// Else the verdict is one of nothing, after one broadcast, whatever kind the ranks are. It is
/// measured from the first such call on. Throws Error(misuse) when ranks are virtual and cannot
/// move (can_migrate()).
ARMATURE_API balance::Verdict rebalance(const World& world, const RebalanceOptions& options = {});

}  // namespace armature
