// Strongly connected components on all ranks of the job, by remote methods as small as they come:
// each is about one vertex, and is executed by the vertex's owner.
//
// This is the graph experiment of the ARMI paper (armi-rmi-2003, section 5.3; it trims, marks from
// pivots, removes what was found, and repeats). The search goes in rounds, all regions at once. A
// region is what hangs together by the edges that are left; no component lies in two.
//
//   trim   A vertex without neighbours on one side is a component by itself. It tells those on its
//          other side, who may then be without neighbours too.
//   elect  All vertices call out their own number, and pass on the loudest they hear, whatever way
//          the edges lead. Whose own number is the loudest of its region is the pivot. Vertices
//          with many edges are loud: they tend to lie in large components.
//   mark   From each pivot forward along the edges, and backward. Vertices marked both ways are the
//          pivot's component.
//   cut    What is left has up to three kinds of marks: forward, backward, none. A component lies
//          within one kind. So all tell their marks to their neighbours, and an edge is kept by
//          those who hear their own.
//
// Each step is one burst of calls that lead to calls, and ends with a fence. Nobody counts or
// answers anything: rmi_fence alone knows when the last call has been executed. Regions that have
// nothing to do with each other are searched at the same time, so the rounds are few. They are 4
// for bookworm's dependencies with 58 circles, 24 with recommendations and suggestions and 1,802.
#pragma once

#include <cstdint>
#include <vector>

#include <armature/armature.hpp>

#include "graph_part.hpp"

namespace scc {

struct SearchResult {
  std::vector<Vertex> component;  // of this rank's vertices, each named by one of its members
  int rounds = 0;
  double seconds = 0;       // of the whole search, the same on all ranks
  std::uint64_t calls = 0;  // made by all ranks
};

// Collective.
SearchResult find_components(armature::World& world, const GraphPart& part);

}  // namespace scc
