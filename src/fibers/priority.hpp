#pragma once

#include <array>

#include "transport/links.hpp"

namespace armature::fibers {

/// What comes from other nodes for expedite().
extern const std::array<transport::Handling, 1> urgent_handlers;

}  // namespace armature::fibers
