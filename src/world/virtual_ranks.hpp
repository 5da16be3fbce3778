#pragma once

#include "armature/run.hpp"
#include "world/process.hpp"

namespace armature::hosting {

/// Runs `body` on every rank that this process hosts at the start, each a fiber on a stack in its
/// own segment, in turn on the calling thread. Returns the first status, in the order of ranks,
/// that is not 0. An exception that leaves `body` is not caught.
int run_virtual(const Process& process, detail::Body body, void* callable);

}  // namespace armature::hosting
