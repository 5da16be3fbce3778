// Rank 0 does this for all: reading, reporting.
#pragma once

#include <functional>
#include <string_view>

#include <armature/armature.hpp>

#include "debian/options.hpp"

namespace debian {

// Collective: rank 0 does what only it can do; when it cannot, it says why (`program: message`),
// and all ranks learn of it.
[[nodiscard]] bool succeeds_at_rank_0(armature::World& world, std::string_view program,
                                      const std::function<void()>& action);

// Rank 0 says it for all; returns the exit status that goes with it.
int say(armature::World& world, const Answer& answer);

}  // namespace debian
