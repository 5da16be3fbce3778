#pragma once

#include "bootstrap/exchange.hpp"
#include "net/network.hpp"
#include "simulation/simulated_process.hpp"
#include "space/mapping.hpp"

namespace armature {

/// Simulates several nodes: the job's network is the simulation's, and its processes act in turn
/// from when they greet each other until they have left it. Collective.
void simulate_network(net::NetworkOptions& options, const space::Mapping& mapping,
                      bootstrap::Exchange& wire);

/// Simulates a single node: its processes act in turn from now on, each until it leaves.
/// Collective.
void take_turns(const space::Mapping& mapping, bootstrap::Exchange& wire);
void leave_turns();

/// The processes as one of them sees them, once they act in turn.
simulation::Others others_in_turn();

}  // namespace armature
