#pragma once

#include "bootstrap/exchange.hpp"
#include "progress/network.hpp"
#include "space/mapping.hpp"
#include "virtual/simulated_process.hpp"

namespace armature {

/// Of a simulated job of several nodes: its network is the simulation's, and its processes act in
/// turn from when they greet each other. Collective.
void simulate_network(progress::NetworkOptions& options, const space::Mapping& mapping,
                      bootstrap::Exchange& wire);

/// As one of its processes sees them, once there is that network.
simulation::Others others_in_turn();

}  // namespace armature
