#pragma once

#include <vector>

namespace armature::topology {

/// The hardware threads this process may run on, ascending: its affinity mask, which a cpuset
/// narrows.
std::vector<int> allowed_processors();

/// How many ranks can run at the same time: the allowed processors, or what a control group's CPU
/// quota leaves of them. At least 1.
int usable_cores();

}  // namespace armature::topology
