#pragma once

#include <memory>
#include <vector>

#include "base/file_descriptor.hpp"
#include "bootstrap/exchange.hpp"
#include "bootstrap/roster.hpp"
#include "space/job_memory.hpp"

namespace armature {

/// How many ranks each process of a job hosts that our launcher did not start: ARMATURE_THREADS, 1
/// unless set.
int ranks_per_wired_process();

/// A job that another launcher has started: who is in it, and the memory of this process's node.
struct WiredJob {
  bootstrap::Roster roster;
  space::JobMemory memory;
};

/// Collective over all processes of the exchange: finds out who shares a node; the first process of
/// a node makes its memory files and gives them to the others there. Throws Error(start).
WiredJob wire_up(bootstrap::Exchange& exchange);

}  // namespace armature
