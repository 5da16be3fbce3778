#pragma once

#include <utility>

#include "fibers/process_ranks.hpp"
#include "fibers/rank_transfer.hpp"

namespace armature::fibers {

/// Called behind a switch, with what it has brought: the process in which the rank is now, and that
/// has switched. Only now has the other rank left its stack: somebody else may take it.
[[gnu::always_inline]] inline void settle_behind(boost::context::detail::transfer_t from) {
  ProcessRanks& here = *static_cast<ProcessRanks*>(from.data);
  RankFiber& left = here.stacks.note_left(from.fctx);
  if (here.goes_to >= 0) [[unlikely]]
    send_off(here, left, std::exchange(here.goes_to, -1));
}

/// Goes on where the other stack was left; `me` has been left already. Returns when its next turn
/// has come, maybe in another process.
[[gnu::always_inline]] inline void switch_to(ProcessRanks& here, RankFiber& other) {
  here.stacks.enter(other);
  settle_behind(switch_stack(other.inside, &here));
}

}  // namespace armature::fibers
