#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "checkpoint/folder.hpp"
#include "space/job_memory.hpp"

namespace armature::checkpoints {

/// Puts what the checkpoint knows of the job and its ranks into the control block of a node of one
/// that has been made, of which no process runs yet. Both throw Error(corrupt) where something is
/// not as it was written.
void prepare(const Found& found, const space::Control& control);
/// Fills the memory of nodes, of all or of some, of which nobody uses anything yet, and calls
/// `when_whole` when everything has been read and compared with its checksums. Throws Error(start)
/// when it is to stop.
void fill(const Found& found, std::span<const space::JobMemory> memory, const std::stop_token& stop,
          const std::function<void()>& when_whole);

/// The first rank of each of so many processes, one at least for each. What ranks have computed so
/// far is then as even as rows of them can be. Empty where that is not measured, and where there
/// are fewer ranks than processes. Throws Error(corrupt).
std::vector<std::uint32_t> first_ranks(const Found& found, std::uint32_t processes);

/// Reads all and compares; changes nothing.
void verify(const Found& found);

}  // namespace armature::checkpoints
