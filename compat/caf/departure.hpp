#pragma once

#include "image.hpp"

// Images that stop or fail while others go on (Fortran 2018, 5.3.5 and 5.3.6).

namespace caf {

/// Waits until all images of the team have come, and all that this one has sent is there. Throws
/// Refusal with stat::failed_image or stat::stopped_image where one of them is gone.
void synchronize(TeamOfImages& team);
/// Throws as synchronize() does, for a member of the team that is gone by now. For statements that
/// synchronize in another way, and have found out that one did not take part.
void require_members(const TeamOfImages& team);

enum class Ending { stopped, failed };
/// The image takes part in nothing any more but the synchronizations of its teams, until all images
/// are gone.
void depart(Image& me, Ending ending);
/// The members of the current team learn that this one goes to the parent team at the next
/// synchronization.
void leave_team(Image& me);
/// Undoes leave_team, for a team that the image enters again.
void return_to_team(Image& me, TeamOfImages& team);

/// 0, or the stat of an image that is gone. `image` is of that team.
[[nodiscard]] int status_of(const TeamOfImages& team, int image);

}  // namespace caf
