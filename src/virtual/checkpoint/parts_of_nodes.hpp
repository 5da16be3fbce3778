#pragma once

#include "space/mapping.hpp"

// A checkpoint of a job of several nodes: all ranks are in one call, and have let go of what lies
// on a node rather than in a band, so that they can go on anywhere. Each process writes the ranks
// that it hosts into Halt::folder, which all nodes reach, and the first one what the whole is.

namespace armature::checkpoints {

/// `holder` is a rank of this process that cannot be written, or -1. Throws Error(corrupt) or
/// Error(misuse).
void write_parts(const space::Mapping& mapping, int process, int band_file, int holder);
/// When all have.
void complete_parts(const space::Mapping& mapping);
/// Or when somebody could not.
void abandon_parts(const space::Mapping& mapping);

}  // namespace armature::checkpoints
