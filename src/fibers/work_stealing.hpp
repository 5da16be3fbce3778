#pragma once

#include <cstdint>

#include "fibers/process_ranks.hpp"

// A process that has nothing to do is given a rank that is ready in another one: moving is free.
// The one who gives does it, between two turns: so nobody needs a lock to look at who is ready.
// That costs no more than a word in the control block. Processes which finish a step early take
// work from those that would finish late, one rank at a time, and keep it. So next time the ranks
// begin where they were best off last time.

namespace armature::fibers {

/// Called by a process that has been idle since then.
void ask_for_ranks(const ProcessRanks& ranks, std::uint64_t idle_since_ns);
/// Called when this process has something to do again.
void ask_no_more(const ProcessRanks& ranks);
/// Gives the process that asks the costliest rank that is ready, where there are several.
void give_rank_away(ProcessRanks& ranks);

}  // namespace armature::fibers
