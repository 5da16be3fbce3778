#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "armature/rank.hpp"
#include "armature/segments.hpp"

namespace armature::rma {

/// Which side of a transfer lies at the other rank.
enum class Remote { to, from };

/// Throws unless every remote piece is good; nothing has moved then.
void check_segments(Rank rank, std::span<const Segments> segments, Remote side, const char* call);

/// Copies a list of pieces, both sides mapped.
void copy_pieces(const Segments& pieces);

}  // namespace armature::rma
