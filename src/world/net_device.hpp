#pragma once

#include <sys/types.h>

#include <string>

#include "bootstrap/exchange.hpp"
#include "net/network.hpp"
#include "world/wired_job.hpp"

namespace armature {

/// Lets the processes of another launcher's job compare the interfaces of their nodes. They take
/// the one over which they reach each other, unless ARMATURE_NET_DEVICE says which (a name or a
/// subnet). Publishes what the others need: before the fence after which options.find_device asks.
void install_net_device(net::NetworkOptions& options, const WiredJob& wired,
                        bootstrap::Exchange& exchange);

/// The device of nodes that are pretended on the launcher's machine: the loopback. In a network
/// namespace of its own a node has the interfaces that are there.
[[nodiscard]] std::string device_beside(pid_t launcher);

}  // namespace armature
