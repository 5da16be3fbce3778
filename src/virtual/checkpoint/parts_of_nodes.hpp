#pragma once

#include <cstdint>
#include <string>

#include "space/mapping.hpp"
#include "virtual/checkpoint/chain.hpp"

// A checkpoint of a job of several nodes: all ranks are in one call, and have let go of what lies
// on a node rather than in a band, so that they can go on anywhere. Each process writes the ranks
// that it hosts into Halt::folder, which all nodes reach, and the first one what the whole is.

namespace armature::checkpoints {

/// `refusal` says why the ranks of this process cannot be written, or is empty; `kept` is what the
/// last one has left. Throws Error(corrupt) or Error(misuse).
void write_parts(const space::Mapping& mapping, int process, int band_file,
                 const std::string& refusal, Kept& kept);
/// When all have.
void complete_parts(const space::Mapping& mapping);
/// Or when somebody could not.
void abandon_parts(const space::Mapping& mapping);

/// Tells the checkpoint of which a process has kept what it takes to find what has changed in that
/// rank's band since; 0: of none. Each process knows that of its own ranks: where all tell the same
/// one, each hosts those that it has written there.
[[nodiscard]] std::uint64_t kept_of(const Kept& kept, const space::Halt& halt, int rank);
/// Whether the process hosts just those that it has written there. By a process whose ranks stand
/// still: until then they may move inside their node.
[[nodiscard]] bool hosts_the_same(const space::Mapping& mapping, int process, const Kept& kept);
/// The number of the last checkpoint in that directory, when it is that one and the next may go on
/// from it; else 0.
[[nodiscard]] std::uint32_t goes_on_from(const std::string& directory, std::uint64_t kept);

}  // namespace armature::checkpoints
