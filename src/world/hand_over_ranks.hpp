#pragma once

#include "space/mapping.hpp"

namespace armature::hosting {

/// Makes this process hand its virtual ranks over before it ends, when it is asked to end (SIGTERM)
/// by anyone but the launcher. It does so where they can move, on several nodes when all meet
/// (restart.hpp); asked once more, it ends. Another launcher counts as the process which has
/// started this one. Programs that have a handler of their own keep it.
void hand_over_before_ending(const space::Mapping& mapping, int process);

/// Called when this process has no ranks to hand over any more: whoever asks it to end now ends it.
void stop_handing_over();

/// The launcher starts processes of virtual ranks with such requests held back, so that none is
/// lost or ends a process that has only begun. Before main they are let through, and one that comes
/// is kept until ranks can be handed over. This process will not: it ends by one that has come.
void do_not_hand_over();

}  // namespace armature::hosting
