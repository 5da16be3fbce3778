#pragma once

#include <cstdint>
#include <string>

#include "checkpoint/chain.hpp"
#include "quiesce/phases.hpp"
#include "space/mapping.hpp"

// A checkpoint of a job of several nodes. All ranks are in one call, and have let go of what lies
// on a node rather than in a segment, so that they can go on anywhere. Each process writes the
// ranks that it hosts into QuiesceState::folder, which all nodes reach, and the first one what the
// whole is.

namespace armature::checkpoints {

/// The client's work in each phase while all are quiescent; `kept` is what the last one has left.
/// All must outlive it.
[[nodiscard]] quiesce::Client parts_client(const space::Mapping& mapping, int process,
                                           int segment_file, Kept& kept);

/// Tells the checkpoint of which a process has kept what it takes to find what has changed in that
/// rank's segment since; 0: of none. Each process knows that of its own ranks: where all tell the
/// same one, each hosts those that it has written there.
[[nodiscard]] std::uint64_t kept_of(const Kept& kept, const space::QuiesceState& quiesce, int rank);
/// The number of the last checkpoint in that directory, when it is that one and the next may go on
/// from it; else 0.
[[nodiscard]] std::uint32_t goes_on_from(const std::string& directory, std::uint64_t kept);

}  // namespace armature::checkpoints
