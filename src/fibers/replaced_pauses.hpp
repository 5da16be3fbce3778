#pragma once

#include "image/plan.hpp"

namespace armature::fibers {

/// Has copies of the program let the other ranks of their process run where the program gives the
/// core away, and while it sleeps: sched_yield, sleep, usleep, nanosleep and their like, select and
/// poll of no file.
void replace_pauses(image::Plan& plan);

}  // namespace armature::fibers
