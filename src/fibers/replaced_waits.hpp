#pragma once

#include "image/plan.hpp"

namespace armature::fibers {

/// Has copies of the program let the other ranks of their process run while the program waits for
/// what is no file: a semaphore, a lock or a condition for a time, a signal, System V's semaphores
/// and messages.
void replace_waits(image::Plan& plan);

}  // namespace armature::fibers
