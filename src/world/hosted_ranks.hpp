#pragma once

#include "armature/run.hpp"
#include "world/process.hpp"

namespace armature::hosting {

/// Runs `body` on every rank that this process hosts: the first on the calling thread, each other
/// on a thread of its own with as much stack as the main thread may have. Returns when all are
/// through, with the first status, in the order of ranks, that is not 0. Throws Error(start), and
/// runs nothing, when the threads cannot be had. An exception that leaves `body` is not caught.
int run(const Process& process, detail::Body body, void* callable);

}  // namespace armature::hosting
