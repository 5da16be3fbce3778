#pragma once

#include <sched.h>

#include <ctime>

#include "base/simulated.hpp"

namespace armature::base {

/// Called between two steps of which others may see the first without the second.
inline void let_others_act() {
  if (simulated.others_act != nullptr) [[unlikely]]
    simulated.others_act();
}

/// Yields between two looks for what others are to do.
inline void yield_to_others() {
  if (simulated.others_act != nullptr) [[unlikely]]
    return simulated.others_act();
  sched_yield();
}
/// Sleeps between two looks for what others are to do.
inline void pause_for_others(long interval_ns) {
  if (simulated.others_act != nullptr) [[unlikely]]
    return simulated.others_act();
  const timespec interval{0, interval_ns};
  nanosleep(&interval, nullptr);
}

}  // namespace armature::base
