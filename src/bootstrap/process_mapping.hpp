#pragma once

#include <string_view>
#include <vector>

namespace armature::bootstrap {

/// The processes of the node that one is on, ascending, from what PMI-1 says of all.
/// "(vector,(0,2,4),(2,1,1))" says: two nodes from number 0 on with 4 processes each, then one from
/// number 2 on with 1. Starts again where there are more processes. Empty when it makes no sense.
std::vector<int> processes_on_node_of(int process, int processes, std::string_view mapping);

}  // namespace armature::bootstrap
