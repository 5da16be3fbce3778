#pragma once

#include "fibers/process_ranks.hpp"

// A rank's way from one process of a node to another: it lies where it lies, so what goes is who
// runs it, and what services keep of it.

namespace armature::fibers {

/// Whether something keeps it in its process; a Pinned is the program's own word, of the rest the
/// first one is told.
[[nodiscard]] bool is_tied(const RankFiber& fiber);
/// A rank that does not run goes to that process. False: it stays.
[[nodiscard]] bool send(ProcessRanks& ranks, RankFiber& fiber, int process);
/// Sends off a rank that has just left its stack, and has been packed.
void send_off(ProcessRanks& ranks, RankFiber& fiber, int process);
/// Adopts a rank that has come from another process.
void adopt(ProcessRanks& ranks, RankFiber& fiber);

// Both do something only where moves are traced.
void note_leaving(const ProcessRanks& ranks, RankFiber& fiber);
void note_coming(const ProcessRanks& ranks, const RankFiber& fiber);

}  // namespace armature::fibers
