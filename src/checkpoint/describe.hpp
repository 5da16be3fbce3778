#pragma once

#include <cstdint>
#include <string>

#include "checkpoint/manifest.hpp"
#include "space/control.hpp"

namespace armature::checkpoints {

/// Describes the job and this process, which is as the others, for the checkpoint of that number;
/// without parts.
Manifest describe(const space::ControlHeader& job, std::uint32_t number, std::uint32_t processes);

/// The part with pages that a process writes.
std::string ranks_part(int process);

}  // namespace armature::checkpoints
