#pragma once

namespace armature::hosting {

/// The services of all rooms, but for those of the links and of the network, which come before. The
/// order is the same in all processes: records name services by it.
/// Those that layers have added come last, in the order in which they did. To
/// transport::services_here().
void list_services();

}  // namespace armature::hosting
