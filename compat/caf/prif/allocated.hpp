#pragma once

#include <exception>

#include "../image.hpp"

namespace caf::prif {

/// Ends the coarrays that were allocated in the team, in the reverse order, with their final
/// procedures. Collective. Returns what the first of these that refused has said.
[[nodiscard]] std::exception_ptr end_allocations(TeamOfImages& team);

}  // namespace caf::prif
