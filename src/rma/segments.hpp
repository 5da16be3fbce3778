#pragma once

#include <span>

#include "armature/rank.hpp"
#include "armature/segments.hpp"

namespace armature::rma {

/// Which side of a vector transfer lies at the other rank.
enum class Remote { to, from };

/// Throws unless every remote piece is good; nothing has moved then.
void check_segments(Rank rank, std::span<const Segments> segments, Remote side, const char* call);

/// Copies piece by piece; both sides mapped.
void copy_segments(void* const* to, const void* const* from, std::size_t count, std::size_t bytes);

}  // namespace armature::rma
