#pragma once

#include <optional>
#include <string>

#include "armature/error.hpp"
#include "team/team_state.hpp"

namespace armature::team {

/// Why a member cannot do its part of a collective call.
struct Objection {
  Errc code = Errc::out_of_memory;
  std::string text;
};

/// A round in which every member says whether it objects: the first one that does, and why, the
/// same at all members. It costs what a barrier does, and is one; needs no memory.
struct Objected : Objection {
  int member = -1;
};
[[nodiscard]] std::optional<Objected> first_objection(detail::TeamState& team,
                                                      const std::optional<Objection>& mine,
                                                      const char* call);

/// Throws at all members when one objects.
void agree(detail::TeamState& team, const std::optional<Objection>& mine, const char* call);

}  // namespace armature::team
