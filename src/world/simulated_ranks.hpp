#pragma once

#include "armature/run.hpp"
#include "world/process.hpp"

namespace armature::hosting {

/// Runs `body` on every rank of the job, all of which this process hosts, in a simulation with the
/// seed that the launcher gave. Returns the first status, in the order of ranks, that is not 0.
int simulate(const Process& process, detail::Body body, void* callable);

}  // namespace armature::hosting
