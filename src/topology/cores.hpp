#pragma once

namespace armature::topology {

/// Cores that this process may run on, by its affinity mask and its control group's quota; at least 1.
int usable_cores();

}  // namespace armature::topology
