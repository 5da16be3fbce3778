#pragma once

#include "net/network.hpp"

namespace armature {

/// Adds what the rooms above the network handle, look at and keep.
void connect_rooms(net::NetworkOptions& options);

}  // namespace armature
