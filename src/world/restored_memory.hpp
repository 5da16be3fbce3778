#pragma once

#include <optional>
#include <string>

#include "bootstrap/exchange.hpp"
#include "bootstrap/process_table.hpp"
#include "checkpoint/folder.hpp"
#include "space/address_reservation.hpp"
#include "space/job_memory.hpp"

namespace armature {

/// The checkpoint that a job goes on from which another launcher starts: ARMATURE_RESTART
/// (`armature restart --hosts` sets it), or the last one in there. Nothing where it is to begin.
/// Throws Error(corrupt).
std::optional<checkpoints::Found> checkpoint_to_go_on_from();

/// Finds where the segments will lie of a job that goes on from there, or begins where that is
/// empty: ARMATURE_BASE counts only then. A checkpoint that cannot be read is complained of later,
/// by code that needs more of it.
space::Room room_to_hold(const std::string& restart);

/// Each node looks for it by itself, and may see another disk, or another moment. The first process
/// of each says before a fence of all what it has found, and all compare after it. Throws
/// Error(start) that names the nodes.
void tell_checkpoint(bootstrap::Exchange& exchange,
                     const std::optional<checkpoints::Found>& checkpoint);
void require_one_checkpoint(bootstrap::Exchange& exchange,
                            const bootstrap::ProcessTable& process_table);

/// The memory of a node that is to be as the checkpoint has it, as large and with what processes
/// look at when they join. The same process restores all the rest then, which takes a while, and
/// for which the others wait. Throw Error(corrupt), and Error(start) when the job is of other
/// ranks.
space::JobMemory memory_to_fill(space::JobOptions options, const checkpoints::Found& found);
void fill(space::JobMemory& memory, const checkpoints::Found& found);

}  // namespace armature
