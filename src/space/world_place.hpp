#pragma once

#include "space/control_header.hpp"

namespace armature::space {

/// Whether the block of the team of all ranks lies behind all segments, of which there is one file:
/// where one process, or few, host many ranks. Else it lies in the segment of rank 0, and each
/// segment keeps room for it.
inline bool world_lies_behind(const ControlHeader& header) {
  return header.ranks_are_virtual != 0 || header.is_one_process();
}

}  // namespace armature::space
