// The program's words on each graph.
#pragma once

#include <string>
#include <vector>

#include "debian/package_graph.hpp"
#include "directed_graph.hpp"
#include "partition.hpp"
#include "timing.hpp"

namespace scc {

struct GraphReport {
  std::string title;  // which fields are its edges
  std::vector<Timing> timings;
  double serial_seconds = 0;  // Tarjan's algorithm
};

// "1" or "adaptive".
std::string aggregation_word(Aggregation aggregation);

// Vertices, edges, components, and the largest circles with the names of their packages.
std::string describe(const DirectedGraph& graph, const Partition& components,
                     const std::vector<std::string>& names);

// Rounds, calls and time for each aggregation factor.
std::string timing_table(const GraphReport& report);

}  // namespace scc
