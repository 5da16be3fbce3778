#pragma once

#include <vector>

#include "armature/balance.hpp"
#include "balance/links.hpp"

// Makes the plans from which the strategy that minds communication chooses.

namespace armature::balance {

/// Moves items, from refine's plan, to where most of their links lead, as far as the loads allow.
[[nodiscard]] Plan pulled(const Problem& problem);

/// Makes two plans by graph partitioning: one that counts in what moves cost, and one as if
/// everything were new, its parts numbered so that little moves. Those that Scotch could not make
/// are missing. The problem has links, and places to choose from.
[[nodiscard]] std::vector<Plan> partitioned(const Problem& problem, const Links& links);

}  // namespace armature::balance
