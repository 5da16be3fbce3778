#pragma once

#include <span>

#include "armature/rank.hpp"
#include "armature/segments.hpp"

namespace armature::rma {

/// Which side of a vector transfer lies at the other rank.
enum class Remote { to, from };

/// Throws unless every remote piece is good; nothing has moved then.
void check_segments(Rank rank, std::span<const Segments> segments, Remote side, const char* call);

/// Throws unless every remote piece is good.
void check_segments(Rank rank, std::span<const Segments> segments, Remote side, const char* call);

}  // namespace armature::rma
