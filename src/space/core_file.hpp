#pragma once

#include "space/mapping.hpp"

namespace armature::space {

/// Has what a rank of this node has allocated, and what pages there are of it in `file` (that of
/// all segments, or -1), written into a core file of this process. For signal handlers.
void put_into_core(const Mapping& mapping, int rank, int file);

}  // namespace armature::space
