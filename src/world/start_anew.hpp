#pragma once

#include <string>

#include "armature/world.hpp"
#include "space/mapping.hpp"

// On several nodes memory belongs to the nodes, so a job gets other processes by going on anew: all
// ranks are written, all processes end, and whoever has started them starts others, which go on
// from there. Ranks see to it where all meet anyway.

namespace armature::hosting {

/// By all: this is a call in which they meet, so what is asked for will be done.
void note_meeting(space::ControlHeader& job);
/// By rank 0, in a call in which all ranks meet: the folder into which they are to be written now,
/// made for that; empty where nobody wants it, or it cannot be, which is told to who does.
[[nodiscard]] std::string begin_anew(const space::Mapping& mapping);
/// Collective, where it is to be: rank 0 names that folder. Returns in other processes; or, told to
/// who wants it, in these, where ranks could not be written.
void start_anew(const World& world, const std::string& folder, const char* call);
/// Collective, for calls in which all ranks meet anyway: all of this, where it is wanted. Whether
/// it returns in other processes.
bool start_anew_if_wanted(const World& world, const char* call);

}  // namespace armature::hosting
