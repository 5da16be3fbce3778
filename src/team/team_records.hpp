#pragma once

#include <cstdint>

#include "team/nodes.hpp"
#include "team/records.hpp"

// The records by which nodes tell each other of a team.

namespace armature::team {

/// In the place of a member: all of some nodes.
inline constexpr std::uint32_t all_of_nodes = UINT32_MAX;

/// A part of what a member shows; the last one makes it visible. Of members of nodes that show
/// nothing there is one record.
struct RoundRecord {
  std::uint32_t team;
  std::uint32_t member;
  std::uint64_t round;
  std::uint64_t signature;
  std::uint32_t at;
  std::uint32_t shown;  // bytes in all
  NodeRange nodes;
};

/// A part of what a member shows in the staging of another, on its way there: before the record
/// that tells of its own line.
struct PieceRecord {
  std::uint32_t team;
  std::uint32_t member;
  std::uint32_t lies_at;  // the other
  std::uint32_t at;
  std::uint64_t round;
};

/// The counts of one member's wave, or of members of some nodes together.
struct WaveRecord {
  std::uint32_t team;
  std::uint32_t member;
  std::uint64_t wave;
  std::uint64_t sent;
  std::uint64_t executed;
  NodeRange nodes;
};

struct BreakdownRecord {
  std::uint32_t team;
  std::uint32_t member;
  std::uint64_t word;
};

}  // namespace armature::team
