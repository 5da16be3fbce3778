#pragma once

#include <vector>

#include "transport/service.hpp"

namespace armature::hosting {

/// The services of all rooms, but for those of the links and of the network, which come before. The
/// order is the same in all processes: records name services by it.
[[nodiscard]] std::vector<const transport::Service*> services();

}  // namespace armature::hosting
