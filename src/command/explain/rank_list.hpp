#pragma once

#include <string>
#include <vector>

namespace armature::command {

/// "rank 3", "ranks 0 and 1", "ranks 0-3, 6 and 9"; of very many not next to each other the first
/// "and 500 others". Ascending order is the caller's.
std::string rank_list(const std::vector<int>& ranks);

}  // namespace armature::command
