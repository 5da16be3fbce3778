#pragma once

#include <array>

#include "transport/links.hpp"

namespace armature::fibers {

/// Handle the records of expedite() that come from other nodes.
extern const std::array<transport::Handling, 1> urgent_handlers;

}  // namespace armature::fibers
