// Strongly connected components on one rank, by Tarjan's algorithm: the measure of what is right
// for the distributed search.
//
// One walk in depth over the graph. A vertex that reaches no vertex discovered before it and still
// without component is the first of its component; what was discovered since is the rest. The walk
// keeps its path in a vector: dependencies are chains that may be longer than a stack is deep.
#pragma once

#include "directed_graph.hpp"
#include "partition.hpp"

namespace scc {

Partition tarjan(const DirectedGraph& graph);

}  // namespace scc
