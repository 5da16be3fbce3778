#pragma once

#include <cstdint>
#include <vector>

#include "command/explain/segment_files.hpp"
#include "space/control.hpp"

namespace armature::command {

/// Words that say what a team has learned about its long reductions, as its block has them: of
/// team::Learned, none of which is 0.
struct LearnedWords {
  std::uint32_t team = 0;
  std::vector<std::uint64_t> words;
};

/// A block of a team that may be there, in the segments that a node sees.
struct TeamPlace {
  int node = 0;
  std::uint64_t address = 0;
  [[nodiscard]] auto operator<=>(const TeamPlace&) const = default;
};
/// The block of the team of all ranks.
[[nodiscard]] TeamPlace place_of_world(const space::ControlHeader& header);

/// Lists what the teams in those places have learned, each team once. Places without a team, and
/// teams that have learned nothing, are left out.
[[nodiscard]] std::vector<LearnedWords> read_learned(const space::ControlHeader& header,
                                                     const SegmentFiles& files,
                                                     const std::vector<TeamPlace>& places);

}  // namespace armature::command
