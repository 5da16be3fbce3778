#pragma once

#include "space/job_memory.hpp"
#include "virtual/checkpoint/folder.hpp"

namespace armature::checkpoints {

/// Fills the memory of a job that has been made, of which no process runs yet, with that of the
/// checkpoint. Everything is read and compared with its checksums. Throws Error(corrupt).
void load(const Found& found, const space::JobMemory& memory, const space::Control& control);

/// Reads all and compares; changes nothing.
void verify(const Found& found);

}  // namespace armature::checkpoints
