#pragma once

#include <cstdint>
#include <vector>

namespace armature::command {

/// Bytes between processes, both ways together: a row for each, a column for each other one. A
/// process has none with itself.
using ProcessLinks = std::vector<std::vector<std::int64_t>>;

/// The node of each process, as numbers from 0 on.
using NodesOfProcesses = std::vector<int>;

/// Bytes of all links whose two processes are on different nodes.
std::int64_t bytes_between_nodes(const ProcessLinks& links, const NodesOfProcesses& nodes);

/// Exchanges processes between nodes, so that those that move much between them share one: as many
/// stay on each node as `begin` has there, and bytes between nodes are at most those of `begin`.
/// Nodes are filled one after the other with the process that has most to do with those there; then
/// two processes change places for as long as that gains something. The same every time.
NodesOfProcesses near_partners(const ProcessLinks& links, const NodesOfProcesses& begin);

}  // namespace armature::command
