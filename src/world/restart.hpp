#pragma once

#include "armature/world.hpp"
#include "space/mapping.hpp"

// On several nodes memory belongs to the nodes, so a job gets other processes by going on anew: all
// ranks are written, all processes end, and whoever has started them starts others, which go on
// from there. Ranks see to it where all meet anyway. Our own launcher says when (Resize::anew);
// under another one the ranks look by themselves (requests.hpp).

namespace armature::hosting {

/// By rank 0, in a call in which all meet and that should cost next to nothing: whether all are to
/// look, as below. Under other launchers that is so every now and then.
[[nodiscard]] bool is_time_to_look(const space::Mapping& mapping);
/// Collective: all of this, where it is wanted. Whether it returns in other processes. Where ranks
/// could not be written it says so to who wants it.
bool restart_if_wanted(const World& world, const char* call);

}  // namespace armature::hosting
