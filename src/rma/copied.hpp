#pragma once

#include <cstddef>

#include "net/network.hpp"

namespace armature::rma {

/// The counts of this process's network. Under the links' lock.
inline space::NetworkCounters& network_counters() {
  net::Network& net = *net::network();
  return net.mapping().process_slot(net.links().process()).network;
}

// Copies by this process of transfers between nodes are counted, so that tests can say of each
// protocol how often it copies. Under the links' lock.

/// Bytes go from where they lie into a packet or a piece.
inline void count_copied_out(std::size_t bytes) {
  space::NetworkCounters::add(network_counters().copied_out, bytes);
}
/// Bytes go from what the engine has received to their place.
inline void count_copied_in(std::size_t bytes) {
  space::NetworkCounters::add(network_counters().copied_in, bytes);
}

}  // namespace armature::rma
