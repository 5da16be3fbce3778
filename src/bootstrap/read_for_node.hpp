#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "bootstrap/exchange.hpp"
#include "bootstrap/secret.hpp"

namespace armature::bootstrap {

/// Values that all processes of a job have published under one key, by process.
using Values = std::vector<std::vector<std::byte>>;

/// Collective over the processes of a node, after the fence: returns the values of all processes of
/// the job. One process of the node reads them and gives them to the others in a memory file, so a
/// node's reads do not grow with its processes. It is the one that first takes the socket whose
/// name is made of the job's secret, the node and the key: nobody need know before who is on the
/// node. `others` tells how many processes come to it. Throws Error(start): also when these do not
/// come within the start time-out.
Values read_for_node(Exchange& exchange, std::string_view key, const Secret& secret,
                     const std::function<int(const Values&)>& others);

}  // namespace armature::bootstrap
