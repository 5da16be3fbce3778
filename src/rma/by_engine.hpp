#pragma once

#include <array>

#include "transport/links.hpp"

namespace armature::rma {

/// The handlers by which this process lets the engine reach memory of its ranks.
extern const std::array<transport::Handling, 1> key_handlers;

}  // namespace armature::rma
