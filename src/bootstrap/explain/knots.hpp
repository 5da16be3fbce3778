#pragma once

#include <vector>

namespace armature::bootstrap {

/// Who waits for whom: edges[r] are the ranks all of which must act before rank r can go on.
using WaitGraph = std::vector<std::vector<int>>;

/// The sets of ranks that wait for each other, each ascending: the strongly connected components
/// with a cycle in them.
std::vector<std::vector<int>> knots(const WaitGraph& edges);

/// All ranks that wait, directly or through others, for one of `goals`; ascending, without the
/// goals.
std::vector<int> dependents(const WaitGraph& edges, const std::vector<int>& goals);

}  // namespace armature::bootstrap
