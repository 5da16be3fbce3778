#pragma once

#include "space/control.hpp"

namespace armature::wait {

/// How often a condition is looked at before anything else is tried. About the time of a few cache
/// misses; fewer when ranks share cores, where the other one needs this core to make it true.
int spins();
/// Whether this machine has more of the job's ranks than cores; of virtual ones, more processes.
bool cores_are_shared();
/// How many threads of this machine run the job's ranks and its network.
int threads_of_job();

/// Learns these of the job.
void count_sharers(const space::ControlHeader& job);

}  // namespace armature::wait
