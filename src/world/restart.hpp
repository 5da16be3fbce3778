#pragma once

#include "armature/world.hpp"
#include "space/mapping.hpp"

// More processes on several nodes, or fewer. Ranks see to it where all meet anyway. Under our own
// launcher processes leave and come while the others stay (change_processes.hpp). Where a node
// goes, and under another launcher, the job goes on anew: all ranks are written, all processes end,
// and whoever has started them starts others, which go on from there. Our own launcher says when
// (Resize::restart); under another one the ranks look by themselves (requests.hpp).

namespace armature::hosting {

/// Tells whether all are to look, as below. Called by rank 0, in a call in which all meet and that
/// should cost next to nothing. Under other launchers that is so every now and then.
[[nodiscard]] bool is_time_to_look(const space::Mapping& mapping);
/// Collective: all of this, where it is wanted. Whether it returns in other processes. Where ranks
/// could not be written it says so to who wants it.
bool restart_if_wanted(const World& world, const char* call);

}  // namespace armature::hosting
