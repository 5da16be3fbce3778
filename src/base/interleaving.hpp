#pragma once

#include <sched.h>

#include <ctime>

namespace armature::base {

/// What other processes do is one thing at a time where a simulation runs all of them on one
/// thread: it lets them act at the places that call let_others_act(), between two steps of a
/// protocol. Set while nothing else runs.
inline void (*others_act)() = nullptr;

/// Between two steps of which others may see the first without the second.
inline void let_others_act() {
  if (others_act != nullptr) [[unlikely]]
    others_act();
}

/// What who looks again and again for what others are to do does in between.
inline void yield_to_others() {
  if (others_act != nullptr) [[unlikely]]
    return others_act();
  sched_yield();
}
/// The pause of who looks again and again for what others are to do.
inline void pause_for_others(long nap_ns) {
  if (others_act != nullptr) [[unlikely]]
    return others_act();
  const timespec nap{0, nap_ns};
  nanosleep(&nap, nullptr);
}

}  // namespace armature::base
