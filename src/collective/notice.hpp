#pragma once

#include <cstdint>

#include "armature/error.hpp"

namespace armature::collective {

/// A member tells others that it has given a collective up.
struct Notice {
  std::uint32_t team = 0;
  std::uint32_t number = 0;  // of the collective
  Errc code = Errc::rank_lost;
  std::int32_t rank = -1;     // the dead one, or the one that has found the mistake
  bool is_for_later = false;  // that collective may end well, those behind it cannot
  bool is_shown = false;      // by the team's block: all members see it (team/breakdown.hpp)
};

/// Whether the collective fails at all members. After a death it does at those alone that wait for
/// a message which is not sent because of it: others may still end well. But who has given one up
/// may begin none that follows, so all that follow fail at all members.
constexpr bool is_for_all(const Notice& notice) { return notice.code == Errc::bad_argument; }

/// Whether one number of a team's collectives comes behind another. They wrap around.
constexpr bool is_behind(std::uint32_t number, std::uint32_t other) {
  return static_cast<std::int32_t>(number - other) > 0;
}

/// Whether a collective of that team fails by it.
constexpr bool concerns(const Notice& notice, std::uint32_t team, std::uint32_t number) {
  if (notice.team != team) return false;
  if (number == notice.number) return !notice.is_for_later;
  return (notice.code == Errc::rank_lost || notice.is_shown) && is_behind(number, notice.number);
}

}  // namespace armature::collective
