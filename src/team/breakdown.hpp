#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "armature/error.hpp"
#include "space/layout.hpp"

// A member that has given up a collective of messages tells the others by messages. One without the
// memory for that shows it in the team's block instead, which all members have: on every node, as
// records carry it there. So this needs no memory.
//
// The block has one word for it. So all later collectives of messages fail with the one that is
// shown, at all members, and go on failing when there is memory again. Of two that are shown the
// earlier one stays.

namespace armature::team {

/// The first collective of messages that fails at all members of a team, and why.
struct Breakdown {
  std::uint32_t number = 0;
  Errc code = Errc::out_of_memory;
  std::int32_t rank = -1;  // the one at which it failed, or the dead one

  /// Never 0.
  [[nodiscard]] std::uint64_t word() const {
    return std::uint64_t{number} << 32 | std::uint64_t{static_cast<std::uint8_t>(code)} << 24 |
           (static_cast<std::uint32_t>(rank) + 1);
  }
  /// nullopt for 0.
  [[nodiscard]] static std::optional<Breakdown> of(std::uint64_t word) {
    constexpr std::uint32_t ranks = (std::uint32_t{1} << 24) - 1;
    static_assert(space::ranks_max < ranks);
    if (word == 0) return std::nullopt;
    return Breakdown{static_cast<std::uint32_t>(word >> 32), static_cast<Errc>(word >> 24 & 0xff),
                     static_cast<std::int32_t>(word & ranks) - 1};
  }
};

/// Whether the word has changed: it had none, or a later one.
bool note_breakdown(std::atomic<std::uint64_t>& word, std::uint64_t noted);

}  // namespace armature::team
