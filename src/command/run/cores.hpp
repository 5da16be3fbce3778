#pragma once

#include <vector>

namespace armature::command {

/// The hardware threads of one core that this process may use.
using Core = std::vector<int>;

/// The cores this process may use, neighbours in the machine next to each other. Empty when hwloc
/// cannot tell.
std::vector<Core> allowed_cores();

}  // namespace armature::command
