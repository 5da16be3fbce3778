#pragma once

#include <cstdint>

#include "space/mapping.hpp"

namespace armature::progress {

/// Wakes all processes of the job that host virtual ranks; from anywhere that has mapped the block.
void wake_processes(const space::Control& control);

/// What ProcessSlot::step says of one that will never run a rank again.
inline constexpr std::uint64_t runs_no_more = UINT64_MAX;

/// How many processes host the ranks of the job now.
std::uint32_t hosting_processes(const space::ControlHeader& job);

/// Whether all ranks of the job have, on whatever node, for a node that has none left.
bool all_have_finished(const space::Mapping& mapping);

inline constexpr const char* cannot_resize =
    "resize: another launcher than armature run has started the job: it can start no further "
    "processes for it";
/// Asks the launcher, which is there, for that many; returns the number of the request.
std::uint32_t ask_for_processes(space::ControlHeader& job, std::uint32_t processes);
/// Whether that is done, or cannot be: then job.resize.refusal says why.
bool is_answered(const space::ControlHeader& job, std::uint32_t request);

}  // namespace armature::progress
