#pragma once

#include <vector>

#include "transport/service.hpp"

namespace armature::transport {

/// The services of this process, in the order of all processes, without the links' own and the
/// network's. Filled before the process has links or ranks, and the same from then on.
[[nodiscard]] std::vector<const Service*>& services_here();

}  // namespace armature::transport
