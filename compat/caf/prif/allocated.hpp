#pragma once

#include "../image.hpp"

namespace caf::prif {

/// Ends the coarrays that were allocated in the team, in the reverse order, with their final
/// procedures. Collective.
void end_allocations(TeamOfImages& team);

}  // namespace caf::prif
