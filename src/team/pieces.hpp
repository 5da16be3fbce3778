#pragma once

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "team/team_state.hpp"

// Helpers that the collectives share.

namespace armature::detail {

inline void require_root(const TeamState& team, int root, const char* call) {
  if (root < 0 || root >= team.size())
    base::fail(Errc::bad_rank,
               fmt::format("{}: there is no member {} to be the root: the team has members 0 to {}",
                           call, root, team.size() - 1));
}

/// Runs f(offset, bytes) over [0, total) in pieces of at most `piece`; once with 0 bytes when total
/// is 0, so that members who disagree about that find out.
template <class F>
void in_pieces(std::size_t total, std::size_t piece, F&& f) {
  std::size_t offset = 0;
  do {
    const std::size_t bytes = std::min(piece, total - offset);
    f(offset, bytes);
    offset += bytes;
  } while (offset < total);
}

}  // namespace armature::detail
