#pragma once

#include <vector>

#include "space/control.hpp"
#include "space/levels.hpp"

namespace armature::space {

/// Writes down the domains of those places, in their order: of ranks, or of processes of virtual
/// ones. Those that are in no one socket, for example, of the same node are in one domain.
void write_levels(const Control& control, const std::vector<Place>& places);
/// The places as far as nodes are known, by the slots of ranks and processes.
[[nodiscard]] std::vector<Place> places_by_nodes(const Control& control);
/// Makes a process that comes later, which is bound to nothing, a domain of each level below the
/// node, all its own. Its slot says its node.
void write_own_levels(const Control& control, int process);

}  // namespace armature::space
