#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "armature/iov.hpp"
#include "armature/rank.hpp"
#include "rma/memory.hpp"

namespace armature::rma {

/// The side of a transfer that lies at the other rank.
enum class Remote { to, from };

/// The memory that they lie in, of several kinds the one that takes most. Throws unless every
/// remote piece is good; nothing has moved then.
Memory check_iov(Rank rank, std::span<const Iov> iov, Remote side, const char* call);

/// Copies a list of pieces, both sides mapped.
void copy_pieces(const Iov& pieces);

}  // namespace armature::rma
