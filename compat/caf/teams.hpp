#pragma once

#include <cstdint>
#include <vector>

#include "image.hpp"

// Teams (Fortran 2018, 11.1.5 and 11.6.9).

namespace caf {

/// The number of the initial team (Fortran 2018, 16.9.189).
inline constexpr int initial_team_number = -1;

/// The team of a variable of team_type. Throws Refusal where `form team` has not given it one.
[[nodiscard]] TeamOfImages& team_in(TeamOfImages* const* variable);
/// Whether the address is that of a team that this image knows.
[[nodiscard]] bool is_team(const Image& me, const void* address);

/// Makes the team of that number, of images of the current team. Collective. `new_index` is the
/// image's number in it, or 0 where the program leaves that open. Throws Refusal at all images
/// where one has chosen wrongly. `wanted`, the team's number, is to be positive and an int.
[[nodiscard]] TeamOfImages* form_team(Image& me, std::int64_t wanted, int new_index);
void change_team(Image& me, TeamOfImages& team);
void end_team(Image& me);

enum class Level { initial, parent, current };
[[nodiscard]] TeamOfImages& team_at(Image& me, Level level);

/// The images of the initial team, of a team that was formed together with the current one, or of
/// one in which the current one was formed. Throws Refusal for a number that none of them has.
[[nodiscard]] std::vector<armature::Rank> ranks_in(const Image& me, int team_number);

}  // namespace caf
