#pragma once

#include <cstdio>

#include "command/trace/recorded.hpp"

namespace armature::command {

/// Writes Chrome's trace events, which Perfetto opens: a thread for each rank in each process where
/// it has been. Returns 0, or errno where not all could be written.
[[nodiscard]] int write_for_perfetto(std::FILE* file, const Recorded& recorded, TracedNames& names);

}  // namespace armature::command
