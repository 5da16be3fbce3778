#pragma once

#include "armature/detail/export.hpp"

namespace armature {
class Team;

namespace detail {

/// Blocks, executing incoming requests, until is_there(what), which any member may make true.
/// Throws Error(rank_lost) where a member has died in a job that goes on after deaths, and
/// Error(misuse) where one has left the job.
ARMATURE_API void wait_for_team(const Team& team, bool (*is_there)(void* what), void* what,
                                const char* call);

}  // namespace detail
}  // namespace armature
