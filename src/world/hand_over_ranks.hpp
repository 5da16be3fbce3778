#pragma once

#include "space/mapping.hpp"

namespace armature::hosting {

/// From now on this process, when it is asked to end (SIGTERM) by anyone but the launcher, hands
/// its virtual ranks over first, where they can move, on several nodes when all meet
/// (start_anew.hpp); asked once more, it ends. Of another launcher that is the process which has
/// started this one. Programs that have a handler of their own keep it.
void hand_over_before_ending(const space::Mapping& mapping, int process);

}  // namespace armature::hosting
