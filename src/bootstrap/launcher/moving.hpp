#pragma once

#include <string>

namespace armature::bootstrap {

/// Makes the processes that are started from now on alike, so that virtual ranks can move between
/// them: code and data at the same addresses, and a malloc that gives each rank memory of its own.
/// Where that cannot be had, ranks stay where they are, and say so when they are to move.
/// `secrets`: what ranks that come from a checkpoint have on their stacks; empty for new ones.
void prepare_moving(const std::string& secrets);

}  // namespace armature::bootstrap
