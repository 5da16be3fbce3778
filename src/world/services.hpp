#pragma once

#include "space/control.hpp"

namespace armature::hosting {

/// The services of all rooms, but for those of the links and of the network, which come before. The
/// order is the same in all processes: records name services by it. Those of layers come last, in
/// the order in which they were added. To transport::services_here().
void list_services();
/// Compares the services of this node's processes, which must be the same. On several nodes the
/// network compares them, too. Throws Error(start).
void require_same_services(space::ControlHeader& job);

}  // namespace armature::hosting
