#pragma once

#include "checkpoint/manifest.hpp"

namespace armature::checkpoints {

/// Describes, for tests, what a manifest has to say in any case, except for its parts.
inline Manifest one_rank() {
  Manifest manifest;
  manifest.command = {"./program"};
  manifest.ranks = manifest.processes = 1;
  manifest.layout.segment_base = manifest.layout.segment_bytes = manifest.layout.stack_bytes = 4096;
  return manifest;
}

}  // namespace armature::checkpoints
