// The search under different aggregation factors, timed.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <armature/armature.hpp>

#include "component_search.hpp"
#include "graph_part.hpp"

namespace scc {

// How many calls to one rank travel together; 0 is adaptive (see RmiSettings).
using Aggregation = std::uint32_t;

struct Timing {
  Aggregation aggregation = 0;
  // Figures of the fastest search.
  double seconds = 0;
  std::uint64_t calls = 0;
  int rounds = 0;

  double calls_per_second() const { return static_cast<double>(calls) / seconds; }
};

// Called on every rank with what each search found.
using OnSearch = std::function<void(Aggregation aggregation, const SearchResult& found)>;

// Collective. Searches `repeat` times with each factor, all factors in turn: what else the machine
// does meanwhile then falls on all alike.
std::vector<Timing> time_searches(armature::World& world, const GraphPart& part,
                                  const std::vector<Aggregation>& aggregations, int repeat,
                                  const OnSearch& on_search);

}  // namespace scc
