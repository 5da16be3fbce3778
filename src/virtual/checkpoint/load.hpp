#pragma once

#include <functional>
#include <span>
#include <stop_token>

#include "space/job_memory.hpp"
#include "virtual/checkpoint/folder.hpp"

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

/// Reads all and compares; changes nothing.
void verify(const Found& found);

}  // namespace armature::checkpoints
