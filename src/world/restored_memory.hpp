#pragma once

#include <optional>

#include "space/job_memory.hpp"
#include "virtual/checkpoint/folder.hpp"

namespace armature {

/// The checkpoint that a job goes on from which another launcher starts: the last one in the
/// directory ARMATURE_RESTART (`armature restart --hosts` sets it). Nothing where it is to begin.
/// Throws Error(corrupt).
std::optional<checkpoints::Found> checkpoint_to_go_on_from();

/// The memory of a node is to be as the checkpoint has it: what processes look at when they join;
/// then, by the same process, all the rest, which takes a while, and for which the others wait.
/// Throw Error(corrupt).
void begin_filling(const space::JobMemory& memory, const checkpoints::Found& found);
void fill(space::JobMemory& memory, const checkpoints::Found& found);

}  // namespace armature
